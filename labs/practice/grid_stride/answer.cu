// out[i] = x[i] + 1 with 4 blocks of 128 threads, whatever n is: each thread goes on to further elements.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void plus_one(const float* x, float* out, int64_t n) {
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    // <gap>
    //| if (first < n) out[first] = x[first] + 1.0f;  // TODO: and then the elements that nobody has done yet
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = first; i < n; i += step) out[i] = x[i] + 1.0f;
    // </gap>
}

extern "C" cudaError_t grid_stride(const float* x, float* out, int64_t n, cudaStream_t stream) {
    plus_one<<<4, 128, 0, stream>>>(x, out, n);
    return cudaGetLastError();
}

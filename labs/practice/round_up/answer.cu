// out[i] = 7 for any n: the launch has a block for every element, and none that stands idle.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void sevens(int* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 7;
}

extern "C" cudaError_t round_up(int* out, int64_t n, cudaStream_t stream) {
    const int64_t threads = 256;
    // <gap>
    //| const int64_t blocks = 1;  // TODO: enough for n elements, and not one more
    const int64_t blocks = (n + threads - 1) / threads;
    // </gap>
    sevens<<<(unsigned)blocks, (unsigned)threads, 0, stream>>>(out, n);
    return cudaGetLastError();
}

// The second block faults at once while the first still works: what the first finds counts, what later ones find does not.
// n: 65536
// status: cudaErrorMisalignedAddress
#include <stdint.h>
__global__ void k(const float* x, float* y, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0) {
        float sum = 0.0f;
        if (threadIdx.x == 0) {
            for (int64_t j = 0; j < n; j++) sum += x[j];
        }
        __syncthreads();
        y[i] = sum + x[n + threadIdx.x];  // <- out-of-bounds-read x
    } else if (blockIdx.x == 1) {
        float4 v = *reinterpret_cast<const float4*>(x + 1);  // <- misaligned-access x
        y[i] = v.x;
    } else {
        y[i] = x[n + threadIdx.x];
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<n / 256, 256>>>(x, y, n);
    return cudaGetLastError();
}

// exercise: vector_add
// unusual: macros, a checked launch, and a grid of three dimensions folded to one index
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

#define CHECKED(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) return e_; } while (0)
#define THREAD_ID ((((int64_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x)
#define FOR_EACH(i, n) for (int64_t i = THREAD_ID, end_ = (n); i < end_; i += (int64_t)gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y)
__global__ void add(const float* a, const float* b, float* out, int64_t n) { FOR_EACH(i, n) { out[i] = a[i] + b[i]; } }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (!n) return cudaSuccess;
    dim3 block(16, 12), grid(7, 5, 3);
    add<<<grid, block, 0, stream>>>(a, b, out, n);
    CHECKED(cudaGetLastError());
    return cudaSuccess;
}

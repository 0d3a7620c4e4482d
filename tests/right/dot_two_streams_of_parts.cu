// exercise: dot_product
// unusual: the second half's partial sums come from a stream of its own, forked and joined by events; both lie in one array
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
constexpr int kParts = 48;

template <bool kSecond> __device__ float added(const float* a, const float* b, int64_t from, int64_t to) {
    __shared__ float sums[BLOCK];
    float s = 0;
    for (int64_t i = from + threadIdx.x; i < to; i += BLOCK) s += kSecond ? a[i] * b[i] : a[i];
    sums[threadIdx.x] = s;
    __syncthreads();
    int count = BLOCK;
    while (count > 1) {
        const int odd = count & 1, half = count >> 1;
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half + odd];
        count = half + odd;
        __syncthreads();
    }
    return sums[0];
}
__global__ void dot(const float* a, const float* b, float* parts, int64_t n) {
    const int64_t each = (n + gridDim.x - 1) / gridDim.x, from = blockIdx.x * each;
    const float s = added<true>(a, b, from, from + each < n ? from + each : n);
    if (threadIdx.x == 0) parts[blockIdx.x] = s;
}
__global__ void all(const float* parts, float* out) {
    const float s = added<false>(parts, nullptr, 0, 2 * kParts);
    if (threadIdx.x == 0) *out = s;
}
#define TRY(call) do { const cudaError_t tried = (call); if (tried != cudaSuccess && error == cudaSuccess) error = tried; } while (0)
extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    cudaStream_t other = nullptr;
    cudaEvent_t fork = nullptr, join = nullptr;
    float* parts = nullptr;
    TRY(cudaMallocAsync((void**)&parts, 2 * kParts * sizeof(float), stream));
    TRY(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    TRY(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    if (error == cudaSuccess) {
        const int64_t first = n / 2;
        TRY(cudaEventRecord(fork, stream));
        TRY(cudaStreamWaitEvent(other, fork, 0));
        dot<<<kParts, BLOCK, 0, stream>>>(a, b, parts, first);
        TRY(cudaGetLastError());
        dot<<<kParts, BLOCK, 0, other>>>(a + first, b + first, parts + kParts, n - first);
        TRY(cudaGetLastError());
        TRY(cudaEventRecord(join, other));
        TRY(cudaStreamWaitEvent(stream, join, 0));
        all<<<1, BLOCK, 0, stream>>>(parts, out);
        TRY(cudaGetLastError());
    }
    if (parts) TRY(cudaFreeAsync(parts, stream));
    if (fork) TRY(cudaEventDestroy(fork));
    if (join) TRY(cudaEventDestroy(join));
    if (other) TRY(cudaStreamDestroy(other));
    return error;
}

// exercise: gemm_tiled
// unusual: two launches, C scaled first; then parts of k are added by atomics, in any order
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void scale(float* c, int64_t m, int64_t n, int64_t ldc, float beta) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    float* out = c + i / n * ldc + i % n;
    *out = beta == 0.0f ? 0.0f : beta * *out;
}

__global__ void add(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down,
                    int64_t aside, int64_t ldc, float alpha) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    const int64_t row = i / n, col = i % n;
    float sum = 0.0f;
    for (int64_t p = blockIdx.y; p < k; p += gridDim.y) sum += a[row * lda + p] * b[p * down + col * aside];
    atomicAdd(c + row * ldc + col, alpha * sum);
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                                  int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m * n == 0) return cudaSuccess;
    const unsigned blocks = (unsigned)((m * n + 127) / 128);
    scale<<<blocks, 128, 0, stream>>>(c, m, n, ldc, beta);
    const cudaError_t scaled = cudaGetLastError();
    if (scaled != cudaSuccess) return scaled;
    if (k > 0) {
        add<<<dim3(blocks, 3), 128, 0, stream>>>(a, b, c, m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc,
                                                alpha);
    }
    return cudaGetLastError();
}

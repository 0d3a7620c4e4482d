// exercise: gemm_tiled
// unusual: one shared array of two tiles, taken apart by a structured binding; partial sums of tiles of 8
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <bool kT, int kTile = 8>
__global__ void mm(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) {
    __shared__ float s[2][kTile][kTile + 1];
    auto& [ta, tb] = s;
    const int64_t tiles = (n + kTile - 1) / kTile;
    const int64_t i = blockIdx.x / tiles * kTile + threadIdx.y, j = blockIdx.x % tiles * kTile + threadIdx.x;
    float acc = 0;
    for (int64_t p = 0; p < k; p += kTile) {
        ta[threadIdx.y][threadIdx.x] = i < m && p + threadIdx.x < k ? a[i * lda + p + threadIdx.x] : 0.f;
        if constexpr (kT) {
            const int64_t q = j - threadIdx.x + threadIdx.y;
            tb[threadIdx.x][threadIdx.y] = q < n && p + threadIdx.x < k ? b[q * ldb + p + threadIdx.x] : 0.f;
        } else {
            tb[threadIdx.y][threadIdx.x] = p + threadIdx.y < k && j < n ? b[(p + threadIdx.y) * ldb + j] : 0.f;
        }
        __syncthreads();
        float part = 0;
        for (int e = 0; e < kTile; ++e) part += ta[threadIdx.y][e] * tb[e][threadIdx.x];
        acc += part;
        __syncthreads();
    }
    if (i < m && j < n) c[i * ldc + j] = beta != 0 ? fmaf(beta, c[i * ldc + j], alpha * acc) : alpha * acc;
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const dim3 block(8, 8);
    const unsigned grid = (unsigned)(((m + 7) / 8) * ((n + 7) / 8));
    if (transpose_b) mm<true><<<grid, block, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    else mm<false><<<grid, block, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    return cudaGetLastError();
}

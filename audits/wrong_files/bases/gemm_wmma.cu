// GEMM on Tensor Cores by wmma: four warps, a tile of 32 x 32 of C, a fragment of 16 x 16 per warp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

constexpr int kTile = 32;
constexpr int kDepth = 16;

struct Problem {
    int64_t m, n, k, lda, ldb, ldc, across;
    bool turned;
    float alpha, beta;
};

template <typename T> __global__ void gemm_kernel(const T* a, const T* b, T* c, Problem p) {
    __shared__ __align__(32) T tile_a[kTile][kDepth];
    __shared__ __align__(32) T tile_b[kDepth][kTile];
    __shared__ __align__(32) float tile_c[kTile][kTile];
    const int t = threadIdx.x, warp = t / 32;
    const int high = warp / 2 * 16, aside = warp % 2 * 16;
    const int64_t row0 = blockIdx.x / p.across * kTile, col0 = blockIdx.x % p.across * kTile;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
        for (int e = t; e < kTile * kDepth; e += 128) {
            const int i = e / kDepth, q = e % kDepth;
            tile_a[i][q] = row0 + i < p.m && k0 + q < p.k ? a[(row0 + i) * p.lda + k0 + q] : T(0.0f);
        }
        for (int e = t; e < kTile * kDepth; e += 128) {
            const int q = e / kTile, j = e % kTile;
            const bool there = k0 + q < p.k && col0 + j < p.n;
            const int64_t at = p.turned ? (col0 + j) * p.ldb + k0 + q : (k0 + q) * p.ldb + col0 + j;
            tile_b[q][j] = there ? b[at] : T(0.0f);
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> of_a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> of_b;
        wmma::load_matrix_sync(of_a, &tile_a[high][0], kDepth);
        wmma::load_matrix_sync(of_b, &tile_b[0][aside], kTile);
        wmma::mma_sync(sums, of_a, of_b, sums);
        __syncthreads();
    }
    wmma::store_matrix_sync(&tile_c[high][aside], sums, kTile, wmma::mem_row_major);
    __syncthreads();
    for (int e = t; e < kTile * kTile; e += 128) {
        const int64_t row = row0 + e / kTile, col = col0 + e % kTile;
        if (row >= p.m || col >= p.n) continue;
        float v = p.alpha * tile_c[e / kTile][e % kTile];
        if (p.beta != 0.0f) v += p.beta * (float)c[row * p.ldc + col];
        c[row * p.ldc + col] = (T)v;
    }
}

template <typename T>
static cudaError_t gemm(const T* a, const T* b, T* c, Problem p, cudaStream_t stream) {
    if (p.m <= 0 || p.n <= 0) return cudaSuccess;
    p.across = (p.n + kTile - 1) / kTile;
    const int64_t tiles = p.across * ((p.m + kTile - 1) / kTile);
    if (tiles > INT32_MAX) return cudaErrorInvalidConfiguration;
    gemm_kernel<T><<<(unsigned)tiles, 128, 0, stream>>>(a, b, c, p);
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                           int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm<__half>(a, b, c, {m, n, k, lda, ldb, ldc, 0, transpose_b != 0, alpha, beta}, stream);
}
extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k,
                                            int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm<__nv_bfloat16>(a, b, c, {m, n, k, lda, ldb, ldc, 0, transpose_b != 0, alpha, beta}, stream);
}

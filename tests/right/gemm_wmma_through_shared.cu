// exercise: gemm_tensorcore
// unusual: nvcuda::wmma from zero-filled tiles in shared memory, results through shared memory
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include <mma.h>
using namespace nvcuda;
template <typename T> __global__ void product(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, bool tb, float alpha, float beta) {
    __shared__ __align__(32) T as[32][16], bs[16][32];
    __shared__ __align__(32) float cs[32][32];
    const int t = threadIdx.x, warp = t / 32;
    const int64_t across = (n + 31) / 32, row0 = (int64_t)blockIdx.x / across * 32, col0 = (int64_t)blockIdx.x % across * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int64_t p0 = 0; p0 < k; p0 += 16) {
        for (int e = t; e < 512; e += 128) {
            const int i = e / 16, p = e % 16;
            as[i][p] = row0 + i < m && p0 + p < k ? a[(row0 + i) * lda + p0 + p] : (T)0.0f;
            const int q = e / 32, j = e % 32;
            bs[q][j] = col0 + j < n && p0 + q < k ? (tb ? b[(col0 + j) * ldb + p0 + q] : b[(p0 + q) * ldb + col0 + j]) : (T)0.0f;
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &as[warp / 2 * 16][0], 16);
        wmma::load_matrix_sync(fb, &bs[0][warp % 2 * 16], 32);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(&cs[warp / 2 * 16][warp % 2 * 16], sum, 32, wmma::mem_row_major);
    __syncthreads();
    for (int e = t; e < 1024; e += 128) {
        const int64_t row = row0 + e / 32, col = col0 + e % 32;
        if (row < m && col < n) {
            T& out = c[row * ldc + col];
            out = (T)(beta == 0.0f ? alpha * cs[e / 32][e % 32] : alpha * cs[e / 32][e % 32] + beta * (float)out);
        }
    }
}
template <typename T> static cudaError_t run(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t tb, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    product<T><<<(unsigned)((m + 31) / 32 * ((n + 31) / 32)), 128, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, tb != 0, alpha, beta);
    return cudaGetLastError();
}
extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) { return run(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, stream); }
extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) { return run(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, stream); }

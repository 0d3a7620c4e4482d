// exercise: gemm_tensorcore
// bug: the fragment of A is col_major, and A lies row by row
// group: shapes
// caught: values
// cause: gemm-fragment-layout
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

// A warp computes a tile of 16 x 16; op(B) lies in shared memory row by row.
template <class T>
__global__ void tiles(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, bool turned,
                      float alpha, float beta) {
    __shared__ __align__(32) T of_a[16 * 16];
    __shared__ __align__(32) T of_b[16 * 16];
    __shared__ __align__(32) float of_c[16 * 16];
    const int64_t row = (int64_t)blockIdx.y * 16, col = (int64_t)blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int64_t p = 0; p < k; p += 16) {
        for (int e = threadIdx.x; e < 256; e += 32) {
            const int64_t i = e / 16, j = e % 16;
            of_a[e] = row + i < m && p + j < k ? a[(row + i) * lda + p + j] : (T)0.0f;
            of_b[e] = p + i < k && col + j < n ? (turned ? b[(col + j) * ldb + p + i] : b[(p + i) * ldb + col + j]) : (T)0.0f;
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::col_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, of_a, 16);
        wmma::load_matrix_sync(fb, of_b, 16);
        wmma::mma_sync(sums, fa, fb, sums);
        __syncwarp();
    }
    wmma::store_matrix_sync(of_c, sums, 16, wmma::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x; e < 256; e += 32) {
        const int64_t i = row + e / 16, j = col + e % 16;
        if (i >= m || j >= n) continue;
        T* out = &c[i * ldc + j];
        *out = (T)(beta == 0.0f ? alpha * of_c[e] : alpha * of_c[e] + beta * (float)*out);
    }
}

template <class T>
cudaError_t launch(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b,
                   float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    tiles<<<dim3((unsigned)((n + 15) / 16), (unsigned)((m + 15) / 16)), 32, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta);
    return cudaGetLastError();
}
#define GEMM(name, T) \
    extern "C" cudaError_t name(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, \
                                int64_t transpose_b, float alpha, float beta, cudaStream_t stream) { \
        return launch(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, stream); \
    }
GEMM(gemm_tensorcore_f16, __half)
GEMM(gemm_tensorcore_bf16, __nv_bfloat16)

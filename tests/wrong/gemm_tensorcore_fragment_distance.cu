// exercise: gemm_tensorcore
// bug: load_matrix_sync is told 32, and the rows of bs lie 16 apart
// group: shapes
// caught: out-of-bounds-shared-read
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; los saltos entre filas, en elementos
    int64_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
};

#include <mma.h>
using namespace nvcuda;

template <typename T>
__global__ void kernel(const T* a, const T* b, T* c, Problem p, bool turned) {
    __shared__ __align__(32) T as[16][16], bs[16][16];
    __shared__ __align__(32) float out[16][16];
    const int64_t row = (int64_t)blockIdx.y * 16, col = (int64_t)blockIdx.x * 16;
    const int t = threadIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int64_t k0 = 0; k0 < p.k; k0 += 16) {
        for (int e = t; e < 256; e += 32) {
            int r = e / 16, q = e % 16;
            as[r][q] = row + r < p.m && k0 + q < p.k ? a[(row + r) * p.lda + k0 + q] : (T)0.0f;
            if (k0 + r < p.k && col + q < p.n)
                bs[r][q] = turned ? b[(col + q) * p.ldb + k0 + r] : b[(k0 + r) * p.ldb + col + q];
            else
                bs[r][q] = (T)0.0f;
        }
        __syncthreads();
        wmma::load_matrix_sync(fa, &as[0][0], 16);
        wmma::load_matrix_sync(fb, &bs[0][0], 32);
        wmma::mma_sync(sums, fa, fb, sums);
        __syncthreads();
    }
    wmma::store_matrix_sync(&out[0][0], sums, 16, wmma::mem_row_major);
    __syncthreads();
    for (int e = t; e < 256; e += 32) {
        int64_t i = row + e / 16, j = col + e % 16;
        if (i >= p.m || j >= p.n) continue;
        float v = p.alpha * out[e / 16][e % 16];
        if (p.beta != 0.0f) v += p.beta * (float)c[i * p.ldc + j];
        c[i * p.ldc + j] = (T)v;
    }
}

template <typename T>
static cudaError_t gemm(const T* a, const T* b, T* c, const Problem& p, bool transpose_b, cudaStream_t stream) {
    if (p.m <= 0 || p.n <= 0) return cudaSuccess;
    kernel<T><<<dim3((unsigned)((p.n + 15) / 16), (unsigned)((p.m + 15) / 16)), 32, 0, stream>>>(a, b, c, p, transpose_b);
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                           int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm(a, b, c, {m, n, k, lda, ldb, ldc, alpha, beta}, transpose_b != 0, stream);
}

extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k,
                                            int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm(a, b, c, {m, n, k, lda, ldb, ldc, alpha, beta}, transpose_b != 0, stream);
}

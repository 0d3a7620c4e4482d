// exercise: gemm_tensorcore
// unusual: wmma loads whole tiles straight from global memory where they are aligned and complete, else from a warp's own copy; C transposed: C' = op(B)' A'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>
#include <type_traits>
namespace wmma = nvcuda::wmma;

constexpr int kSide = 16, kWarps = 4, kAcross = 2;   // a warp makes 16 x 32 of C

template <typename Fragment, typename T> __device__ void bring(Fragment& f, const T* from, int64_t ld, int64_t row, int64_t col, int64_t rows, int64_t cols, T* own) {
    const T* const at = from + row * ld + col;
    if (row + kSide <= rows && col + kSide <= cols && (uintptr_t)at % 32 == 0 && ld % 16 == 0 && ld < 2147483647) {
        wmma::load_matrix_sync(f, at, (unsigned)ld);
        return;
    }
    for (int e = threadIdx.x % 32; e < kSide * kSide; e += 32) {
        const int64_t r = row + e / kSide, c = col + e % kSide;
        own[e] = r < rows && c < cols ? from[r * ld + c] : T(0.0f);
    }
    __syncwarp();
    wmma::load_matrix_sync(f, own, kSide);
    __syncwarp();
}
template <typename T, bool kTurned> __global__ void __launch_bounds__(32 * kWarps) product(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) {
    __shared__ __align__(32) T copies[kWarps][kSide * kSide];
    __shared__ __align__(32) float results[kWarps][kSide * kSide];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64_t wide = (n + kSide * kAcross - 1) / (kSide * kAcross), number = (int64_t)blockIdx.x * kWarps + warp;
    const int64_t row0 = number / wide * kSide, col0 = number % wide * kSide * kAcross;
    if (row0 >= m) return;
    // The rows of op(B) transposed are the rows of the product; A transposed is A read by columns.
    using Left = wmma::fragment<wmma::matrix_a, 16, 16, 16, T, std::conditional_t<kTurned, wmma::row_major, wmma::col_major>>;
    using Right = wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major>;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[kAcross];
    for (auto& s : sums) wmma::fill_fragment(s, 0.0f);
    for (int64_t p = 0; p < k; p += kSide) {
        Right right;
        bring(right, a, lda, row0, p, m, k, copies[warp]);
        for (int j = 0; j < kAcross; ++j) {
            Left left;
            const int64_t col = col0 + j * kSide;
            if (kTurned) bring(left, b, ldb, col, p, n, k, copies[warp]);
            else bring(left, b, ldb, p, col, k, n, copies[warp]);
            wmma::mma_sync(sums[j], left, right, sums[j]);
        }
    }
    for (int j = 0; j < kAcross; ++j) {
        wmma::store_matrix_sync(results[warp], sums[j], kSide, wmma::mem_col_major);   // and back
        __syncwarp();
        for (int e = lane; e < kSide * kSide; e += 32) {
            const int64_t r = row0 + e / kSide, q = col0 + j * kSide + e % kSide;
            if (r < m && q < n) {
                T& out = c[r * ldc + q];
                out = T(alpha * results[warp][e] + (beta != 0.0f ? beta * float(out) : 0.0f));
            }
        }
        __syncwarp();
    }
}
template <typename T> cudaError_t launch(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t tiles = (m + kSide - 1) / kSide * ((n + kSide * kAcross - 1) / (kSide * kAcross));
    const unsigned blocks = (unsigned)((tiles + kWarps - 1) / kWarps);
    if (turned) product<T, true><<<blocks, 32 * kWarps, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    else product<T, false><<<blocks, 32 * kWarps, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    return cudaGetLastError();
}
extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return launch(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }
extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return launch(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }

// exercise: gemm_tensorcore
// unusual: wmma of 32 x 8 x 16 for tall C and 8 x 32 x 16 for wide C, layouts of op(B) by a template's type; the tiles' bytes take the accumulators in the end
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>
#include <type_traits>
using namespace nvcuda;

template <typename T> struct Args { const T *a, *b; T* c; int64_t m, n, k, lda, ldb, ldc; float alpha, beta; };
template <bool kTall> struct Shape { static constexpr int kM = kTall ? 32 : 8, kN = kTall ? 8 : 32; };

// A block of four warps: 128 x 32 of C where it is tall, 32 x 128 where it is wide.
template <typename T, bool kTall, bool kTurned> __global__ void __launch_bounds__(128) product(Args<T> g) {
    using S = Shape<kTall>;
    constexpr int kRows = kTall ? 128 : 32, kCols = kTall ? 32 : 128, kDeep = 32, kPad = 8;
    constexpr int kLda = kDeep + kPad, kLdb = kTurned ? kDeep + kPad : kCols + kPad;
    using Layout = std::conditional_t<kTurned, wmma::col_major, wmma::row_major>;
    constexpr int kIn = (kRows * kLda + (kTurned ? kCols : kDeep) * kLdb) * (int)sizeof(T), kOut = kRows * kCols * (int)sizeof(float);
    __shared__ __align__(32) unsigned char room[kIn > kOut ? kIn : kOut];
    T* const as = reinterpret_cast<T*>(room);
    T* const bs = as + kRows * kLda;
    float* const out = reinterpret_cast<float*>(room);
    const int64_t across = (g.n + kCols - 1) / kCols, row0 = blockIdx.x / across * kRows, col0 = blockIdx.x % across * kCols;
    const int warp = threadIdx.x / 32;
    wmma::fragment<wmma::accumulator, S::kM, S::kN, 16, float> acc[4];
    for (auto& f : acc) wmma::fill_fragment(f, 0.0f);
    for (int64_t p0 = 0; p0 < g.k; p0 += kDeep) {
        for (int e = threadIdx.x; e < kRows * kDeep; e += 128) {
            const int i = e / kDeep, p = e % kDeep;
            as[i * kLda + p] = row0 + i < g.m && p0 + p < g.k ? g.a[(row0 + i) * g.lda + p0 + p] : T(0.0f);
        }
        for (int e = threadIdx.x; e < kCols * kDeep; e += 128) {
            if constexpr (kTurned) {
                const int j = e / kDeep, p = e % kDeep;
                bs[j * kLdb + p] = col0 + j < g.n && p0 + p < g.k ? g.b[(col0 + j) * g.ldb + p0 + p] : T(0.0f);
            } else {
                const int p = e / kCols, j = e % kCols;
                bs[p * kLdb + j] = col0 + j < g.n && p0 + p < g.k ? g.b[(p0 + p) * g.ldb + col0 + j] : T(0.0f);
            }
        }
        __syncthreads();
        for (int q = 0; q < kDeep; q += 16)
            for (int f = 0; f < 4; ++f) {
                const int i = kTall ? warp * 32 : f * 8, j = kTall ? f * 8 : warp * 32;
                wmma::fragment<wmma::matrix_a, S::kM, S::kN, 16, T, wmma::row_major> fa;
                wmma::fragment<wmma::matrix_b, S::kM, S::kN, 16, T, Layout> fb;
                wmma::load_matrix_sync(fa, as + i * kLda + q, kLda);
                wmma::load_matrix_sync(fb, kTurned ? bs + j * kLdb + q : bs + q * kLdb + j, kLdb);
                wmma::mma_sync(acc[f], fa, fb, acc[f]);
            }
        __syncthreads();
    }
    for (int f = 0; f < 4; ++f) wmma::store_matrix_sync(out + (kTall ? warp * 32 * kCols + f * 8 : f * 8 * kCols + warp * 32), acc[f], kCols, wmma::mem_row_major);
    __syncthreads();
    for (int e = threadIdx.x; e < kRows * kCols; e += 128) {
        const int64_t i = row0 + e / kCols, j = col0 + e % kCols;
        if (i >= g.m || j >= g.n) continue;
        T* const at = g.c + i * g.ldc + j;
        *at = T(g.beta == 0.0f ? g.alpha * out[e] : g.alpha * out[e] + g.beta * (float)*at);
    }
}
template <typename T> cudaError_t launch(Args<T> g, int64_t turned, cudaStream_t stream) {
    if (g.m <= 0 || g.n <= 0) return cudaSuccess;
    const bool tall = g.m >= g.n;
    const int64_t rows = tall ? 128 : 32, cols = tall ? 32 : 128;
    const unsigned blocks = (unsigned)((g.m + rows - 1) / rows * ((g.n + cols - 1) / cols));
    void (*const kernels[2][2])(Args<T>) = {{product<T, false, false>, product<T, false, true>}, {product<T, true, false>, product<T, true, true>}};
    kernels[tall][turned != 0]<<<blocks, 128, 0, stream>>>(g);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta, cudaStream_t s) { return launch<T>({a, b, c, m, n, k, lda, ldb, ldc, alpha, beta}, turned, s); }
LAUNCHER(gemm_tensorcore_f16, __half)
LAUNCHER(gemm_tensorcore_bf16, __nv_bfloat16)

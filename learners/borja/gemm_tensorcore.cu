// gemm_tensorcore: C = alpha A B + beta C, or A B^T, in fp16 and bf16 on Tensor Cores, all sums in fp32. Borja's version.
//
// Check: onekernel check gemm_tensorcore
//
// The idea: my gemm_tiled.cu with another middle. A block of 4 warps has 64 x 64 of C, a warp 32 x 32 of them as four fragments of 16 x 16. The
// tiles keep their 16 bits in shared memory, and load_matrix_sync takes the fragments from there.
// What I learnt: a fragment has no elements that I could name. To scale, round and guard the edges I write the sums back to shared memory as
// floats; there element (row, column) is again where I believe it is. And a transposed B is not work, it is a word: col_major.
//
// Ledger: 0.0625 bytes per FMA from global memory; 16 bytes per lane where the addresses allow it
// But: a block waits for its own loads, and the detour of the sums costs 16 KB of shared memory. mma.sync would spare it, for a map of lanes.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

constexpr int kTile = 64, kDepth = 32, kThreads = 128;
constexpr int kPad = 8;   // elements of 16 bits: rows stay a multiple of 8 apart, and neighbours begin in other banks
constexpr int kSumPitch = kTile + 4;

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; row strides in elements
    int64_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
};

template <typename T> union Pack { uint4 bits; T v[8]; __device__ Pack() {} };   // 16 bytes, whole or element by element

// A tile of kRows x kCols elements from (row0, col0) of a matrix of rows x cols, with zeros outside of it.
template <int kRows, int kCols, typename T>
__device__ void fill(T* tile, const T* from, int64_t stride, int64_t row0, int64_t col0, int64_t rows, int64_t cols) {
    for (int slot = threadIdx.x; slot < kRows * kCols / 8; slot += kThreads) {
        const int r = slot / (kCols / 8), c = slot % (kCols / 8) * 8;
        const T* at = from + (row0 + r) * stride + col0 + c;
        Pack<T> p;
        if (row0 + r < rows && col0 + c + 8 <= cols && (uintptr_t)at % 16 == 0) {
            p.bits = *reinterpret_cast<const uint4*>(at);
        } else {
            for (int e = 0; e < 8; ++e) p.v[e] = row0 + r < rows && col0 + c + e < cols ? at[e] : (T)0.0f;
        }
        *reinterpret_cast<uint4*>(tile + r * (kCols + kPad) + c) = p.bits;
    }
}

template <bool kTurned> struct Order { using Of = wmma::row_major; };
template <> struct Order<true> { using Of = wmma::col_major; };

// With kTurned, B is n rows of k, and so is its tile: 64 x 32 instead of 32 x 64.
template <typename T, bool kTurned>
__global__ void __launch_bounds__(kThreads) gemm_kernel(const T* a, const T* b, T* c, Problem p) {
    constexpr int kRowsOfB = kTurned ? kTile : kDepth, kColsOfB = kTurned ? kDepth : kTile;
    using LayoutOfB = typename Order<kTurned>::Of;
    __shared__ __align__(32) T tile_a[kTile * (kDepth + kPad)], tile_b[kRowsOfB * (kColsOfB + kPad)];
    __shared__ __align__(32) float sums[kTile * kSumPitch];
    const int64_t across = (p.n + kTile - 1) / kTile;
    const int64_t row0 = blockIdx.x / across * kTile, col0 = blockIdx.x % across * kTile;
    const int warp = threadIdx.x / 32, y = warp / 2 * 32, x = warp % 2 * 32;   // my warp's 32 x 32

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> of_c[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(of_c[i][j], 0.0f);
    for (int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
        fill<kTile, kDepth>(tile_a, a, p.lda, row0, k0, p.m, p.k);
        if (kTurned) fill<kRowsOfB, kColsOfB>(tile_b, b, p.ldb, col0, k0, p.n, p.k);
        else fill<kRowsOfB, kColsOfB>(tile_b, b, p.ldb, k0, col0, p.k, p.n);
        __syncthreads();   // the tiles are complete
        for (int i = 0; i < kDepth; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> of_a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, LayoutOfB> of_b[2];
            for (int f = 0; f < 2; ++f) {
                wmma::load_matrix_sync(of_a[f], tile_a + (y + f * 16) * (kDepth + kPad) + i, kDepth + kPad);
                const int column = x + f * 16;
                wmma::load_matrix_sync(of_b[f], tile_b + (kTurned ? column * (kColsOfB + kPad) + i : i * (kColsOfB + kPad) + column), kColsOfB + kPad);
            }
            for (int r = 0; r < 2; ++r)
                for (int j = 0; j < 2; ++j) wmma::mma_sync(of_c[r][j], of_a[r], of_b[j], of_c[r][j]);
        }
        __syncthreads();   // nobody needs them any more
    }
    for (int r = 0; r < 2; ++r)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(sums + (y + r * 16) * kSumPitch + x + j * 16, of_c[r][j], kSumPitch, wmma::mem_row_major);
    __syncthreads();   // and now every element has a name again
    for (int e = threadIdx.x; e < kTile * kTile; e += kThreads) {
        const int64_t row = row0 + e / kTile, col = col0 + e % kTile;
        if (row >= p.m || col >= p.n) continue;
        T* out = c + row * p.ldc + col;
        const float product = p.alpha * sums[e / kTile * kSumPitch + e % kTile];
        *out = (T)(p.beta == 0.0f ? product : product + p.beta * (float)*out);   // one rounding
    }
}

template <typename T>
static cudaError_t gemm(const T* a, const T* b, T* c, const Problem& p, bool transpose_b, cudaStream_t stream) {
    if (p.m <= 0 || p.n <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)(((p.m + kTile - 1) / kTile) * ((p.n + kTile - 1) / kTile));
    if (transpose_b) gemm_kernel<T, true><<<blocks, kThreads, 0, stream>>>(a, b, c, p);
    else gemm_kernel<T, false><<<blocks, kThreads, 0, stream>>>(a, b, c, p);
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

// gemm_skinny: C = alpha A B + beta C, or A B^T, where one side is small; fp32, and bf16 with fp32 sums. Borja's version.
//
// Check: onekernel check gemm_skinny
//
// The idea: it is a copy that multiplies on its way, so I ask softmax's question and not gemm's: what is large, and do I read it once? The tile
// takes the shape of the problem:
//     few columns    128 x 16    A passes by once; all of B that a block needs is 16 columns
//     few rows       16 x 128    the same, turned: B passes by once
//     else           64 x 64     a short k, too, where what is large is C
// What I learnt: with 2048 x 8 x 64 a tile of 64 x 64 reads A just as often, once. It is B that comes 32 times instead of 16, and 56 of 64
// columns that are computed for nobody.
//
// Ledger (n up to 16): reads 1 of A, m / 128 of B, writes 1 of C
// But: 16 rows and a long k make few blocks, n / 128 of them. Dividing k between blocks would fill a card; I have none to measure it on.

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

using bf16 = __nv_bfloat16;

constexpr int kThreads = 256, kDepth = 32, kPad = 4;

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; row strides in elements
    int64_t m, n, k, lda, ldb, ldc;
    bool transpose_b;
    float alpha, beta;
};

template <typename T> constexpr int kWide = 16 / sizeof(T);
template <typename T> union Pack { uint4 bits; T v[kWide<T>]; __device__ Pack() {} };   // 16 bytes, whole or element by element

// kRows x kCols elements of a matrix of rows x cols, as floats, with zeros outside. `turned`: tile[column][row].
template <int kRows, int kCols, bool kTurned, int kPitch, typename T>
__device__ void fill(float (*tile)[kPitch], const T* from, int64_t stride, int64_t row0, int64_t col0, int64_t rows, int64_t cols) {
    for (int slot = threadIdx.x; slot < kRows * kCols / kWide<T>; slot += kThreads) {
        const int r = slot / (kCols / kWide<T>), c = slot % (kCols / kWide<T>) * kWide<T>;
        const T* at = from + (row0 + r) * stride + col0 + c;
        Pack<T> p;
        if (row0 + r < rows && col0 + c + kWide<T> <= cols && (uintptr_t)at % 16 == 0) {
            p.bits = *reinterpret_cast<const uint4*>(at);
        } else {
            for (int e = 0; e < kWide<T>; ++e) p.v[e] = row0 + r < rows && col0 + c + e < cols ? at[e] : (T)0.0f;
        }
        for (int e = 0; e < kWide<T>; ++e) (kTurned ? tile[c + e][r] : tile[r][c + e]) = (float)p.v[e];
    }
}

// A block has kRows x kCols of C, a thread kDown x kAcross of them.
template <typename T, int kRows, int kCols, int kDown, int kAcross>
__global__ void __launch_bounds__(kThreads) skinny_kernel(const T* a, const T* b, T* c, Problem p) {
    static_assert(kRows / kDown * (kCols / kAcross) == kThreads, "a thread for each kDown x kAcross");
    __shared__ float tile_a[kDepth][kRows + kPad], tile_b[kDepth][kCols + kPad];
    const int64_t across = (p.n + kCols - 1) / kCols;
    const int64_t row0 = blockIdx.x / across * kRows, col0 = blockIdx.x % across * kCols;
    const int x = threadIdx.x % (kCols / kAcross), y = threadIdx.x / (kCols / kAcross);
    float sums[kDown][kAcross] = {};
    for (int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
        fill<kRows, kDepth, true>(tile_a, a, p.lda, row0, k0, p.m, p.k);
        if (p.transpose_b) fill<kCols, kDepth, true>(tile_b, b, p.ldb, col0, k0, p.n, p.k);
        else fill<kDepth, kCols, false>(tile_b, b, p.ldb, k0, col0, p.k, p.n);
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < kDepth; ++i) {
            float from_a[kDown], from_b[kAcross];
#pragma unroll
            for (int r = 0; r < kDown; ++r) from_a[r] = tile_a[i][y + r * (kRows / kDown)];
#pragma unroll
            for (int j = 0; j < kAcross; ++j) from_b[j] = tile_b[i][x + j * (kCols / kAcross)];
#pragma unroll
            for (int r = 0; r < kDown; ++r)
#pragma unroll
                for (int j = 0; j < kAcross; ++j) sums[r][j] += from_a[r] * from_b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < kDown; ++r)
#pragma unroll
        for (int j = 0; j < kAcross; ++j) {
            const int64_t row = row0 + y + r * (kRows / kDown), col = col0 + x + j * (kCols / kAcross);
            if (row >= p.m || col >= p.n) continue;
            T* out = c + row * p.ldc + col;
            const float product = p.alpha * sums[r][j];
            *out = (T)(p.beta == 0.0f ? product : product + p.beta * (float)*out);
        }
}

template <typename T, int kRows, int kCols, int kDown, int kAcross>
static void launch(const T* a, const T* b, T* c, const Problem& p, cudaStream_t stream) {
    const int64_t blocks = ((p.m + kRows - 1) / kRows) * ((p.n + kCols - 1) / kCols);
    skinny_kernel<T, kRows, kCols, kDown, kAcross><<<(unsigned)blocks, kThreads, 0, stream>>>(a, b, c, p);
}

template <typename T>
static cudaError_t gemm(const T* a, const T* b, T* c, const Problem& p, cudaStream_t stream) {
    if (p.m <= 0 || p.n <= 0) return cudaSuccess;
    if (p.n <= 16) launch<T, 128, 16, 4, 2>(a, b, c, p, stream);
    else if (p.m <= 16) launch<T, 16, 128, 2, 4>(a, b, c, p, stream);
    else launch<T, 64, 64, 4, 4>(a, b, c, p, stream);
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                   int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}

extern "C" cudaError_t gemm_skinny_bf16(const bf16* a, const bf16* b, bf16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                        int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}

// GEMM for narrow C: a warp per element-row of eight columns, its lanes divide k, shuffles add up what they have.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kCols = 8;    // columns of C of a warp
constexpr int kWarps = 8;   // rows of C of a block

struct Sizes {
    int64_t m, n, k, lda, ldb, ldc;
    bool turned;
    float alpha, beta;
};

template <typename T> __global__ void narrow(const T* a, const T* b, T* c, Sizes s, int64_t across) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t row = blockIdx.x / across * kWarps + warp;
    const int64_t col = blockIdx.x % across * kCols;
    if (row >= s.m) return;
    float sum[kCols] = {};
    for (int64_t p = lane; p < s.k; p += 32) {
        const float from_a = (float)a[row * s.lda + p];
        for (int j = 0; j < kCols; ++j) {
            if (col + j >= s.n) break;
            const int64_t at = s.turned ? (col + j) * s.ldb + p : p * s.ldb + col + j;
            sum[j] += from_a * (float)b[at];
        }
    }
    for (int j = 0; j < kCols; ++j) {
        for (int d = 16; d > 0; d /= 2) sum[j] += __shfl_xor_sync(0xffffffff, sum[j], d);
    }
    if (lane < kCols && col + lane < s.n) {
        float mine = sum[0];
        for (int j = 1; j < kCols; ++j) mine = lane == j ? sum[j] : mine;
        T* to = c + row * s.ldc + col + lane;
        *to = (T)(s.beta == 0.0f ? s.alpha * mine : s.alpha * mine + s.beta * (float)*to);
    }
}

template <typename T> cudaError_t launch(const T* a, const T* b, T* c, const Sizes& s, cudaStream_t stream) {
    if (s.m <= 0 || s.n <= 0) return cudaSuccess;
    const int64_t across = (s.n + kCols - 1) / kCols;
    const int64_t blocks = across * ((s.m + kWarps - 1) / kWarps);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    narrow<T><<<(unsigned)blocks, kWarps * 32, 0, stream>>>(a, b, c, s, across);
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                   int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return launch<float>(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}
extern "C" cudaError_t gemm_skinny_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                        int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return launch<__nv_bfloat16>(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}

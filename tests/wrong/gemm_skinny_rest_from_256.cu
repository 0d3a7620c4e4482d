// exercise: gemm_skinny
// bug: the rest behind groups of 8 begins behind the last whole step of the warp: products are counted twice
// group: shapes
// caught: values
// cause: gemm-rest-early
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// A warp computes an element; each lane takes 8 neighbouring products at once, then the rest one by one.
template <typename T>
__global__ void thin(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, bool turned,
                     float alpha, float beta) {
    const int lane = threadIdx.x;
    const int64_t element = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (element >= m * n) return;
    const int64_t row = element / n, col = element % n;
    const int64_t down = turned ? 1 : ldb, aside = turned ? ldb : 1;
    float sum = 0.0f;
    for (int64_t p = 8 * lane; p + 8 <= k; p += 256)
        for (int e = 0; e < 8; ++e) sum += (float)a[row * lda + p + e] * (float)b[(p + e) * down + col * aside];
    for (int64_t p = k / 256 * 256 + lane; p < k; p += 32) sum += (float)a[row * lda + p] * (float)b[p * down + col * aside];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) {
        T* out = &c[row * ldc + col];
        *out = (T)(beta == 0.0f ? alpha * sum : alpha * sum + beta * (float)*out);
    }
}

template <typename T>
cudaError_t run(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned,
                float alpha, float beta, cudaStream_t stream) {
    if (m == 0 || n == 0) return cudaSuccess;
    thin<<<(unsigned)((m * n + 3) / 4), dim3(32, 4), 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, turned != 0, alpha, beta);
    return cudaGetLastError();
}
#define GEMM(name, T) \
    extern "C" cudaError_t name(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, \
                                int64_t transpose_b, float alpha, float beta, cudaStream_t stream) { \
        return run(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, stream); \
    }
GEMM(gemm_skinny, float)
GEMM(gemm_skinny_bf16, __nv_bfloat16)

// exercise: gemm_skinny
// bug: rows beyond the last are the last one, which is stored again
// group: scalars
// caught: values
// cause: gemm-last-again
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// A warp computes 4 rows of a column; rows beyond the last one are the last one.
template <typename T>
__global__ void thin(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, bool turned,
                     float alpha, float beta) {
    const int lane = threadIdx.x;
    const int64_t groups = (m + 3) / 4;
    const int64_t element = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (element >= groups * n) return;
    const int64_t col = element % n;
    const int64_t down = turned ? 1 : ldb, aside = turned ? ldb : 1;
    float sums[4] = {};
    for (int64_t p = lane; p < k; p += 32) {
        const float right = (float)b[p * down + col * aside];
        for (int r = 0; r < 4; ++r) {
            int64_t row = element / n * 4 + r;
            if (row >= m) row = m - 1;
            sums[r] += (float)a[row * lda + p] * right;
        }
    }
    for (int r = 0; r < 4; ++r) {
        for (int d = 16; d > 0; d /= 2) sums[r] += __shfl_xor_sync(0xffffffffu, sums[r], d);
        int64_t row = element / n * 4 + r;
        if (row >= m) row = m - 1;
        if (lane == r) {
            T* out = &c[row * ldc + col];
            *out = (T)(beta == 0.0f ? alpha * sums[r] : alpha * sums[r] + beta * (float)*out);
        }
        __syncwarp();
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

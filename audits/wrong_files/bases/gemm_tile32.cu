// GEMM by tiles of 32 x 32 of C in shared memory, four elements of a column per thread.
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int T = 32;   // sides of a tile
constexpr int R = 4;    // rows of a thread

__global__ void gemm_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                            int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, int64_t across) {
    __shared__ float as[T][T + 1], bs[T][T + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;   // 32 x 8
    const int64_t row0 = blockIdx.x / across * T, col0 = blockIdx.x % across * T;
    float acc[R] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int64_t k0 = 0; k0 < k; k0 += T) {
        for (int i = ty; i < T; i += T / R) {
            const int64_t row = row0 + i, ka = k0 + tx;
            as[i][tx] = row < m && ka < k ? a[row * lda + ka] : 0.0f;
            if (transpose_b) {
                const int64_t col = col0 + i;
                bs[tx][i] = col < n && ka < k ? b[col * ldb + ka] : 0.0f;
            } else {
                const int64_t kb = k0 + i, col = col0 + tx;
                bs[i][tx] = kb < k && col < n ? b[kb * ldb + col] : 0.0f;
            }
        }
        __syncthreads();
        for (int p = 0; p < T; ++p) {
            const float from_b = bs[p][tx];
            for (int r = 0; r < R; ++r) acc[r] += as[ty * R + r][p] * from_b;
        }
        __syncthreads();
    }
    const int64_t col = col0 + tx;
    for (int r = 0; r < R; ++r) {
        const int64_t row = row0 + ty * R + r;
        if (row >= m || col >= n) continue;
        float* to = c + row * ldc + col;
        *to = beta == 0.0f ? alpha * acc[r] : alpha * acc[r] + beta * *to;
    }
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t across = (n + T - 1) / T, tiles = across * ((m + T - 1) / T);
    if (tiles > INT32_MAX) return cudaErrorInvalidConfiguration;
    gemm_kernel<<<(unsigned)tiles, dim3(T, T / R), 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, across);
    return cudaGetLastError();
}

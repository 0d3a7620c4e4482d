// exercise: gemm_tiled
// unusual: tiles of 11 x 11: no power of two, and warps that end inside a row
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int T = 11;

__global__ void tiles(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                      int64_t ldc, bool turned, float alpha, float beta) {
    __shared__ float tile_a[T][T];
    __shared__ float tile_b[T][T + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t across = (n + T - 1) / T;  // tiles, numbered along rows: grid.y would not have room for all
    const int64_t row = blockIdx.x / across * T + y;
    const int64_t col = blockIdx.x % across * T + x;
    const int64_t first = blockIdx.x % across * T;
    float sum = 0.0f;
    for (int64_t step = 0; step < k; step += T) {
        tile_a[y][x] = row < m && step + x < k ? a[row * lda + step + x] : 0.0f;
        if (turned) {
            tile_b[x][y] = first + y < n && step + x < k ? b[(first + y) * ldb + step + x] : 0.0f;
        } else {
            tile_b[y][x] = step + y < k && col < n ? b[(step + y) * ldb + col] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < T; ++i) {
            sum += tile_a[y][i] * tile_b[i][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        float* out = &c[row * ldc + col];
        if (beta == 0.0f) {
            *out = alpha * sum;
        } else {
            *out = alpha * sum + beta * *out;
        }
    }
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                                  int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m == 0 || n == 0) return cudaSuccess;
    const unsigned blocks = (unsigned)((n + T - 1) / T * ((m + T - 1) / T));
    tiles<<<blocks, dim3(T, T), 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta);
    return cudaGetLastError();
}

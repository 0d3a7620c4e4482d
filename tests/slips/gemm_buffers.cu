#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int T = 16;

__device__ void fetch(float* to, const float* from, bool there) {
    __pipeline_memcpy_async(to, from, 4, there ? 0 : 4);
}

__global__ void buffers(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down,
                        int64_t aside, int64_t ldc, float alpha, float beta) {
    __shared__ float tile_a[2][T][T];
    __shared__ float tile_b[2][T][T + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t row = (int64_t)blockIdx.y * T + y, col = (int64_t)blockIdx.x * T + x;
    const bool has_row = row < m, has_col = col < n;
    const float* mine_a = a + (has_row ? row : 0) * lda;
    const float* mine_b = b + (has_col ? col : 0) * aside;
    const int64_t steps = (k + T - 1) / T;
    float sum = 0.0f;
    if (steps > 0) {
        fetch(&tile_a[0][y][x], x < k ? mine_a + x : a, has_row && x < k);
        fetch(&tile_b[0][y][x], y < k ? mine_b + y * down : b, has_col && y < k);
    }
    __pipeline_commit();
    for (int64_t step = 0; step < steps; ++step) {
        const int now = step % 2, next = 1 - now;
        if (step + 1 < steps) {
            const int64_t p = (step + 1) * T;
            fetch(&tile_a[next][y][x], p + x < k ? mine_a + p + x : a, has_row && p + x < k);
            fetch(&tile_b[next][y][x], p + y < k ? mine_b + (p + y) * down : b, has_col && p + y < k);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int i = 0; i < T; ++i) sum += tile_a[now][y][i] * tile_b[now][i][x];
        __syncthreads();
    }
    if (has_row && has_col) {
        float* out = &c[row * ldc + col];
        *out = beta == 0.0f ? alpha * sum : alpha * sum + beta * *out;
    }
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                                  int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m == 0 || n == 0) return cudaSuccess;
    const dim3 blocks((unsigned)((n + T - 1) / T), (unsigned)((m + T - 1) / T));
    const int64_t down = transpose_b ? 1 : ldb, aside = transpose_b ? ldb : 1;
    buffers<<<blocks, dim3(T, T), 0, stream>>>(a, b, c, m, n, k, lda, down, aside, ldc, alpha, beta);
    return cudaGetLastError();
}

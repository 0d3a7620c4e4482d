// GEMM by tiles of 16 x 16 that arrive by cp.async: two stages, the next tile on its way while this one is multiplied.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int S = 16;

struct Task {
    const float *a, *b;
    float* c;
    int64_t m, n, k, lda, ldb, ldc, across;
    bool turned;
    float alpha, beta;
};

__device__ void copy_or_zero(float* to, const float* from, bool there) {
    if (there) __pipeline_memcpy_async(to, from, sizeof(float));
    else *to = 0.0f;
}

__device__ void fetch(const Task& t, float (*as)[S], float (*bs)[S + 1], int64_t row0, int64_t col0, int64_t k0) {
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t row = row0 + y;
    copy_or_zero(&as[y][x], t.a + row * t.lda + k0 + x, row < t.m && k0 + x < t.k);
    if (t.turned) {
        const int64_t col = col0 + y;
        copy_or_zero(&bs[x][y], t.b + col * t.ldb + k0 + x, col < t.n && k0 + x < t.k);
    } else {
        const int64_t col = col0 + x;
        copy_or_zero(&bs[y][x], t.b + (k0 + y) * t.ldb + col, col < t.n && k0 + y < t.k);
    }
    __pipeline_commit();
}

__global__ void gemm_kernel(Task t) {
    __shared__ float as[2][S][S], bs[2][S][S + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t row0 = blockIdx.x / t.across * S, col0 = blockIdx.x % t.across * S;
    float sum = 0.0f;
    int stage = 0;
    if (t.k > 0) fetch(t, as[0], bs[0], row0, col0, 0);
    for (int64_t k0 = 0; k0 < t.k; k0 += S) {
        if (k0 + S < t.k) fetch(t, as[stage ^ 1], bs[stage ^ 1], row0, col0, k0 + S);
        else __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int p = 0; p < S; ++p) sum += as[stage][y][p] * bs[stage][p][x];
        __syncthreads();
        stage ^= 1;
    }
    const int64_t row = row0 + y, col = col0 + x;
    if (row < t.m && col < t.n) {
        float* to = t.c + row * t.ldc + col;
        float value = t.alpha * sum;
        if (t.beta != 0.0f) value += t.beta * *to;
        *to = value;
    }
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t across = (n + S - 1) / S, down = (m + S - 1) / S;
    if (across * down > INT32_MAX) return cudaErrorInvalidConfiguration;
    const Task task = {a, b, c, m, n, k, lda, ldb, ldc, across, transpose_b != 0, alpha, beta};
    gemm_kernel<<<(unsigned)(across * down), dim3(S, S), 0, stream>>>(task);
    return cudaGetLastError();
}

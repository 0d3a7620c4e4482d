// exercise: gemm_tiled
// unusual: 12 x 24 tiles by outer products, five steps of k at a time in two buffers; the grid counts tiles in x alone
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kHigh = 12, kWide = 24, kDeep = 5;

__global__ void tile(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down, int64_t along,
                     int64_t ldc, int64_t across, float alpha, float beta) {
    __shared__ float left[2][kDeep][kHigh], above[2][kDeep][kWide];
    const int64_t row = blockIdx.x / across * kHigh, col = blockIdx.x % across * kWide;
    const int t = threadIdx.x, mine = t / kWide, at = t % kWide;
    const int64_t steps = (k + kDeep - 1) / kDeep;
    auto fetch = [&](int64_t step) {
        const int64_t from = step * kDeep;
        for (int e = t; e < kDeep * (kHigh + kWide); e += kHigh * kWide) {
            const int p = e / (kHigh + kWide), s = e % (kHigh + kWide);
            const bool some = from + p < k;
            if (s < kHigh) left[step & 1][p][s] = some && row + s < m ? a[(row + s) * lda + from + p] : 0.0f;
            else above[step & 1][p][s - kHigh] = some && col + s - kHigh < n ? b[(from + p) * down + (col + s - kHigh) * along] : 0.0f;
        }
    };
    float sum = 0.0f;
    if (steps) fetch(0);
    for (int64_t step = 0; step < steps; ++step) {
        __syncthreads();
        if (step + 1 < steps) fetch(step + 1);
        for (int p = 0; p < kDeep; ++p) sum += left[step & 1][p][mine] * above[step & 1][p][at];
    }
    if (row + mine >= m || col + at >= n) return;
    float* to = &c[(row + mine) * ldc + col + at];
    *to = alpha * sum + (beta == 0.0f ? 0.0f : beta * *to);
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                  int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (!m || !n) return cudaSuccess;
    const int64_t across = (n + kWide - 1) / kWide;
    tile<<<(unsigned)(across * ((m + kHigh - 1) / kHigh)), kHigh * kWide, 0, stream>>>(a, b, c, m, n, k, lda, transpose_b ? 1 : ldb,
                                                                                      transpose_b ? ldb : 1, ldc, across, alpha, beta);
    return cudaGetLastError();
}

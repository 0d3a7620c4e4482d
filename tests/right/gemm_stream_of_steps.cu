// exercise: gemm_tiled
// unusual: "stream-k": all steps of all tiles in one line, divided evenly among a fixed number of blocks; parts of tiles meet in scratch, a second launch ends
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kTile = 32, kDeep = 32, kBlocks = 24;
struct Shape { int64_t m, n, k, lda, ldb, ldc, across, steps, total; bool turned; };

__device__ int64_t begin_of(int64_t block, const Shape& s) { return s.total * block / kBlocks; }

__global__ void __launch_bounds__(256) stretches(const float* a, const float* b, float* parts, Shape s) {
    __shared__ float as[kTile][kDeep + 1], bs[kDeep][kTile + 1];
    const int j = threadIdx.x % kTile, i0 = threadIdx.x / kTile;
    int64_t at = begin_of(blockIdx.x, s);
    const int64_t end = begin_of(blockIdx.x + 1, s);
    while (at < end) {
        const int64_t tile = at / s.steps, upto = (tile + 1) * s.steps < end ? (tile + 1) * s.steps : end;
        const int64_t row0 = tile / s.across * kTile, col0 = tile % s.across * kTile;
        float sums[4] = {};
        for (; at < upto; ++at) {
            const int64_t p0 = at % s.steps * kDeep;
            for (int e = threadIdx.x; e < kTile * kDeep; e += 256) {
                const int i = e / 32, p = e % 32;
                as[i][p] = row0 + i < s.m && p0 + p < s.k ? a[(row0 + i) * s.lda + p0 + p] : 0.0f;
                if (s.turned) bs[p][i] = col0 + i < s.n && p0 + p < s.k ? b[(col0 + i) * s.ldb + p0 + p] : 0.0f;
                else bs[i][p] = p0 + i < s.k && col0 + p < s.n ? b[(p0 + i) * s.ldb + col0 + p] : 0.0f;
            }
            __syncthreads();
            for (int p = 0; p < kDeep; ++p)
                for (int r = 0; r < 4; ++r) sums[r] += as[i0 + 8 * r][p] * bs[p][j];
            __syncthreads();
        }
        for (int r = 0; r < 4; ++r) {
            const int64_t i = row0 + i0 + 8 * r, q = col0 + j;
            if (i < s.m && q < s.n) atomicAdd(&parts[i * s.n + q], sums[r]);
        }
    }
}
__global__ void ends(const float* parts, float* c, int64_t m, int64_t n, int64_t ldc, float alpha, float beta) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    float& out = c[e / n * ldc + e % n];
    const float made = alpha * parts[e];
    out = beta == 0.0f ? made : made + beta * out;
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    Shape s{m, n, k, lda, ldb, ldc, (n + kTile - 1) / kTile, (k + kDeep - 1) / kDeep, 0, transpose_b != 0};
    s.total = (m + kTile - 1) / kTile * s.across * s.steps;
    float* parts = nullptr;
    cudaError_t e = cudaMallocAsync((void**)&parts, m * n * sizeof(float), stream);
    if (e != cudaSuccess) return e;
    e = cudaMemsetAsync(parts, 0, m * n * sizeof(float), stream);
    if (e == cudaSuccess && s.total > 0) {
        stretches<<<kBlocks, 256, 0, stream>>>(a, b, parts, s);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess) {
        ends<<<(unsigned)((m * n + 255) / 256), 256, 0, stream>>>(parts, c, m, n, ldc, alpha, beta);
        e = cudaGetLastError();
    }
    const cudaError_t freed = cudaFreeAsync(parts, stream);
    return e != cudaSuccess ? e : freed;
}

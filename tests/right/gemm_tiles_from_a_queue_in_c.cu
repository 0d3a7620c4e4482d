// exercise: gemm_tiled
// unusual: in C: macros for the shared tiles, for unrolling and for min; a queue of tiles from an atomic counter that a memset clears in the stream's order
#include <cuda_runtime.h>
#include <stdint.h>
#define TILE 32
#define STEP 8
#define SHARED_TILE(name, rows, cols) __shared__ float name[rows][(cols) + 1]
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define REPEAT4(X) X(0) X(1) X(2) X(3)
#define ELEMENT_B(p, j) (turned ? b[(j) * ldb + (p)] : b[(p) * ldb + (j)])
__global__ void worker(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                       int turned, float alpha, float beta, unsigned long long *queue)
{
    SHARED_TILE(as, TILE, STEP);
    SHARED_TILE(bs, STEP, TILE);
    __shared__ unsigned long long next;
    const int64_t across = (n + TILE - 1) / TILE, tiles = across * ((m + TILE - 1) / TILE);
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
    for (;;) {
        if (t == 0) next = atomicAdd(queue, 1ull);
        __syncthreads();
        const int64_t tile = (int64_t)next;
        __syncthreads();
        if (tile >= tiles) return;
        const int64_t row0 = tile / across * TILE, col0 = tile % across * TILE;
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int64_t p0 = 0; p0 < k; p0 += STEP) {
            const int64_t i = row0 + t / STEP, p = p0 + t % STEP;
            as[t / STEP][t % STEP] = i < m && p < k ? a[i * lda + p] : 0.0f;
            const int64_t q = p0 + (turned ? t % STEP : ty), j = col0 + (turned ? t / STEP : tx);
            const float v = q < k && j < n ? ELEMENT_B(q, j) : 0.0f;
            if (turned) bs[t % STEP][t / STEP] = v;
            else bs[ty][tx] = v;
            __syncthreads();
            for (int e = 0; e < STEP; ++e) {
#define MAC(r) s##r += as[ty + 8 * r][e] * bs[e][tx];
                REPEAT4(MAC)
#undef MAC
            }
            __syncthreads();
        }
#define STORE(r)                                                                                   \
        if (row0 + ty + 8 * r < m && col0 + tx < n) {                                              \
            float *to = c + (row0 + ty + 8 * r) * ldc + col0 + tx;                                 \
            *to = beta == 0.0f ? alpha * s##r : alpha * s##r + beta * *to;                         \
        }
        REPEAT4(STORE)
    }
}
extern "C" cudaError_t gemm_tiled(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                  int64_t transpose_b, float alpha, float beta, cudaStream_t stream)
{
    unsigned long long *queue;
    cudaError_t e;
    if (m == 0 || n == 0) return cudaSuccess;
    if ((e = cudaMallocAsync((void **)&queue, sizeof *queue, stream)) != cudaSuccess) return e;
    if ((e = cudaMemsetAsync(queue, 0, sizeof *queue, stream)) == cudaSuccess) {
        worker<<<(unsigned)MIN((m + 31) / 32 * ((n + 31) / 32), 264), dim3(32, 8), 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta, queue);
        e = cudaGetLastError();
    }
    cudaFreeAsync(queue, stream);
    return e;
}

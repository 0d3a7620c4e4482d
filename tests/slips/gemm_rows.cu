#include <cuda_runtime.h>
#include <stdint.h>

#define TILE 32
#define PER 4

__global__ void mm(const float *A, const float *B, float *C, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                   int64_t ldc, int transB, float alpha, float beta) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t col = blockIdx.x * (int64_t)TILE + tx;
    int64_t row0 = blockIdx.y * (int64_t)TILE + ty * PER;
    float acc[PER] = {0, 0, 0, 0};
    for (int64_t t = 0; t < k; t += TILE) {
        for (int r = 0; r < PER; r++) {
            int64_t row = row0 + r;
            As[ty * PER + r][tx] = (row < m && t + tx < k) ? A[row * lda + t + tx] : 0.f;
            int64_t p = t + ty * PER + r;
            float b = 0.f;
            if (p < k && col < n) b = transB ? B[col * ldb + p] : B[p * ldb + col];
            Bs[ty * PER + r][tx] = b;
        }
        __syncthreads();
        for (int p = 0; p < TILE; p++) {
            float b = Bs[p][tx];
            for (int r = 0; r < PER; r++) acc[r] += As[ty * PER + r][p] * b;
        }
        __syncthreads();
    }
    for (int r = 0; r < PER; r++) {
        int64_t row = row0 + r;
        if (row < m && col < n) {
            float v = alpha * acc[r];
            if (beta != 0.f) v += beta * C[row * ldc + col];
            C[row * ldc + col] = v;
        }
    }
}

extern "C" cudaError_t gemm_tiled(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k, int64_t lda,
                                  int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    dim3 block(TILE, TILE / PER);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    mm<<<grid, block, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta);
    return cudaGetLastError();
}

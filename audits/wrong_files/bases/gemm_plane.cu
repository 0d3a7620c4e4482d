// GEMM, a thread per element of C, blocks of 16 x 16.
#include <cuda_runtime.h>
#include <stdint.h>

const int SIDE = 16;

__global__ void gemm_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                            int64_t ldb, int64_t ldc, bool transposed, float alpha, float beta) {
    int64_t col = (int64_t)blockIdx.x * SIDE + threadIdx.x;
    for (int64_t row = (int64_t)blockIdx.y * SIDE + threadIdx.y; row < m; row += (int64_t)gridDim.y * SIDE) {
        if (col >= n) continue;
        const float* a_row = a + row * lda;
        float acc = 0.0f;
        if (transposed) {
            const float* b_row = b + col * ldb;
            for (int64_t p = 0; p < k; p++) acc += a_row[p] * b_row[p];
        } else {
            for (int64_t p = 0; p < k; p++) acc += a_row[p] * b[p * ldb + col];
        }
        float result = alpha * acc;
        if (beta != 0.0f) result += beta * c[row * ldc + col];
        c[row * ldc + col] = result;
    }
}

extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    int64_t down = (m + SIDE - 1) / SIDE;
    if (down > 65535) down = 65535;
    dim3 threads(SIDE, SIDE);
    dim3 blocks((unsigned)((n + SIDE - 1) / SIDE), (unsigned)down);
    gemm_kernel<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b == 1, alpha, beta);
    return cudaGetLastError();
}

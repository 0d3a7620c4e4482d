// exercise: gemm_naive
// bug: one row of C per block in y: a matrix of more than 65,535 rows has no grid
// group: large
// caught: bad-launch
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                        int64_t turned, float alpha, float beta) {
    int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int64_t p = 0; p < k; ++p) {
        float right = turned ? b[col * ldb + p] : b[p * ldb + col];
        sum += a[row * lda + p] * right;
    }
    float result = alpha * sum;
    if (beta != 0.0f) result += beta * c[row * ldc + col];
    c[row * ldc + col] = result;
}

extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                                  int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m == 0 || n == 0) return cudaSuccess;
    dim3 threads(256, 1);
    dim3 blocks((unsigned)((n + 255) / 256), (unsigned)m);
    product<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta);
    return cudaGetLastError();
}

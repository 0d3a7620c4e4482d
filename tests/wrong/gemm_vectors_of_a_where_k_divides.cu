// exercise: gemm_naive
// bug: vectors of A where k divides by 4 and A itself is aligned; lda is not looked at
// group: unaligned
// caught: misaligned-access
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                        int64_t turned, float alpha, float beta) {
    int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    if (k % 4 == 0 && (uintptr_t)a % 16 == 0 && !turned) {
        for (int64_t p = 0; p < k; p += 4) {
            const float4 v = *reinterpret_cast<const float4*>(a + row * lda + p);
            sum += v.x * b[p * ldb + col] + v.y * b[(p + 1) * ldb + col] + v.z * b[(p + 2) * ldb + col] + v.w * b[(p + 3) * ldb + col];
        }
    } else for (int64_t p = 0; p < k; ++p) {
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
    dim3 threads(16, 16);
    dim3 blocks((unsigned)((n + 15) / 16), (unsigned)((m + 15) / 16));
    product<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta);
    return cudaGetLastError();
}

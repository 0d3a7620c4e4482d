// exercise: gemm_tiled
// unusual: B is transposed into memory of the pool where it is not yet; sums in double
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

// B is transposed into scratch of the pool where it is not yet; a warp of 32 columns walks rows of both.
__global__ void turn(const float* b, float* t, int64_t n, int64_t k, int64_t ldb) {
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n * k) t[at] = b[at % k * ldb + at / k];
}
__global__ void mm(const float* a, const float* t, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldt, int64_t ldc, float alpha, float beta) {
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= m * n) return;
    const float *p = a + at / n * lda, *q = t + at % n * ldt;
    double sum = 0;
    for (int64_t e = 0; e < k; ++e) sum += double(p[e]) * q[e];
    float& to = c[at / n * ldc + at % n];
    to = float(beta == 0 ? alpha * sum : alpha * sum + double(beta) * to);
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    float* t = nullptr;
    cudaError_t error = cudaSuccess;
    if (!transpose_b && k > 0) {
        if ((error = cudaMallocAsync(&t, n * k * sizeof(float), stream)) != cudaSuccess) return error;
        turn<<<(unsigned)((n * k + 255) / 256), 256, 0, stream>>>(b, t, n, k, ldb);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess) {
        mm<<<(unsigned)((m * n + 255) / 256), 256, 0, stream>>>(a, t ? t : b, c, m, n, k, lda, t ? k : ldb, ldc, alpha, beta);
        error = cudaGetLastError();
    }
    if (t) cudaFreeAsync(t, stream);
    return error;
}

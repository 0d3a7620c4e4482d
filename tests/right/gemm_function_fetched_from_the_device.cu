// exercise: gemm_naive
// unusual: the element of op(B) comes from a device function whose address the host fetches from a __device__ variable and passes as an argument
#include <cuda_runtime.h>
#include <stdint.h>

using Element = float (*)(const float*, int64_t, int64_t, int64_t);
__device__ float straight(const float* b, int64_t ldb, int64_t p, int64_t j) { return b[p * ldb + j]; }
__device__ float turned(const float* b, int64_t ldb, int64_t p, int64_t j) { return b[j * ldb + p]; }
__device__ Element as_stored = straight;
__device__ Element transposed = turned;

__global__ void product(Element of_b, const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    float s = 0.0f;
    for (int64_t p = 0; p < k; ++p) s += a[i * lda + p] * of_b(b, ldb, p, j);
    s *= alpha;
    if (beta != 0.0f) s += beta * c[i * ldc + j];
    c[i * ldc + j] = s;
}
extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    Element element = nullptr;
    cudaError_t e = transpose_b ? cudaMemcpyFromSymbol(&element, transposed, sizeof element) : cudaMemcpyFromSymbol(&element, as_stored, sizeof element);
    if (e != cudaSuccess) return e;
    product<<<(unsigned)((m * n + 255) / 256), 256, 0, stream>>>(element, a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    return cudaGetLastError();
}

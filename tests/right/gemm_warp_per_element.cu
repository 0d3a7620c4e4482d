// exercise: gemm_naive
// unusual: a warp for each element of C: lanes stride along k, a butterfly adds them; the sum is compensated
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void element(const float* a, const float* b, float* c, int64_t elements, int64_t n, int64_t k, int64_t lda, int64_t down,
                        int64_t along, int64_t ldc, float alpha, float beta) {
    const int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (warp >= elements) return;
    const int64_t i = warp / n, j = warp % n;
    float sum = 0.0f, lost = 0.0f;
    for (int64_t p = threadIdx.x % 32; p < k; p += 32) {
        const float term = fmaf(a[i * lda + p], b[p * down + j * along], lost);
        const float next = sum + term;
        lost = isfinite(next) ? term - (next - sum) : 0.0f;
        sum = next;
    }
    for (int lanes = 1; lanes < 32; lanes += lanes) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    if (threadIdx.x % 32 != 0) return;
    float out = alpha * sum;
    if (beta != 0.0f) out += beta * c[i * ldc + j];
    c[i * ldc + j] = out;
}

extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                                  int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    const int64_t elements = m * n;
    if (elements == 0) return cudaSuccess;
    element<<<(unsigned)((elements + 3) / 4), 128, 0, stream>>>(a, b, c, elements, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1,
                                                                 ldc, alpha, beta);
    return cudaGetLastError();
}

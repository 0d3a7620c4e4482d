// exercise: gemm_skinny
// unusual: a block for each element of C, its threads along k, a tree of any size in shared memory
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>
#include <cuda_bf16.h>

template <typename T> __global__ void product(const T* a, const T* b, T* c, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, bool tb, float alpha, float beta, int64_t first) {
    __shared__ float s[64];
    const int64_t e = first + blockIdx.x, i = e / n, j = e % n;
    float v = 0.0f;
    for (int64_t p = threadIdx.x; p < k; p += 64) v += (float)a[i * lda + p] * (float)(tb ? b[j * ldb + p] : b[p * ldb + j]);
    s[threadIdx.x] = v;
    __syncthreads();
    for (int left = 64; left > 1; left = (left + 1) / 2) {
        const int half = (left + 1) / 2;
        if ((int)threadIdx.x + half < left) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) { T& out = c[i * ldc + j]; out = (T)(alpha * s[0] + (beta == 0.0f ? 0.0f : beta * (float)out)); }
}
template <typename T> static cudaError_t run(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t tb, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    for (int64_t first = 0; first < m * n; first += 2147483647) {
        const int64_t some = m * n - first < 2147483647 ? m * n - first : 2147483647;
        product<T><<<(unsigned)some, 64, 0, stream>>>(a, b, c, n, k, lda, ldb, ldc, tb != 0, alpha, beta, first);
        if (cudaError_t e = cudaGetLastError()) return e;
    }
    return cudaSuccess;
}
extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) { return run(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, stream); }
extern "C" cudaError_t gemm_skinny_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) { return run(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, stream); }

// GEMM for few elements of C and a long k: blocks divide k and add up in an array of floats by atomicAdd; a second kernel writes C.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 128;
constexpr int64_t kPart = 256;   // of k, per block

struct Shape {
    int64_t m, n, k, lda, ldb, ldc;
    bool turned;
    float alpha, beta;
};

template <typename T> __global__ void multiply(const T* a, const T* b, float* sums, Shape s) {
    const int64_t from = (int64_t)blockIdx.y * kPart;
    const int64_t to = from + kPart < s.k ? from + kPart : s.k;
    const int64_t e = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (e >= s.m * s.n) return;
    const int64_t i = e / s.n, j = e % s.n;
    float sum = 0.0f;
    for (int64_t p = from; p < to; ++p) {
        const float right = (float)(s.turned ? b[j * s.ldb + p] : b[p * s.ldb + j]);
        sum += (float)a[i * s.lda + p] * right;
    }
    atomicAdd(&sums[e], sum);
}

template <typename T> __global__ void finish(const float* sums, T* c, Shape s) {
    const int64_t e = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (e >= s.m * s.n) return;
    T* at = c + e / s.n * s.ldc + e % s.n;
    float v = s.alpha * sums[e];
    if (s.beta != 0.0f) v += s.beta * (float)*at;
    *at = (T)v;
}

template <typename T> cudaError_t gemm(const T* a, const T* b, T* c, Shape s, cudaStream_t stream) {
    if (s.m <= 0 || s.n <= 0) return cudaSuccess;
    float* sums = nullptr;
    const int64_t count = s.m * s.n;
    cudaError_t error = cudaMallocAsync((void**)&sums, count * sizeof(float), stream);
    if (error != cudaSuccess) return error;
    error = cudaMemsetAsync(sums, 0, count * sizeof(float), stream);
    const unsigned blocks = (unsigned)((count + kThreads - 1) / kThreads);
    const unsigned parts = (unsigned)((s.k + kPart - 1) / kPart);
    if (parts > 0) multiply<T><<<dim3(blocks, parts), kThreads, 0, stream>>>(a, b, sums, s);
    if (error == cudaSuccess) error = cudaGetLastError();
    if (error == cudaSuccess) {
        finish<T><<<blocks, kThreads, 0, stream>>>(sums, c, s);
        error = cudaGetLastError();
    }
    cudaFreeAsync(sums, stream);
    return error;
}

extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                   int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm<float>(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}
extern "C" cudaError_t gemm_skinny_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                        int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return gemm<__nv_bfloat16>(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}

// exercise: gemm_skinny
// bug: each part of k is walked in steps of 4 and its rest left out
// group: shapes
// caught: values
// cause: gemm-part-rest-lost
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>
using bf16 = __nv_bfloat16;

struct Problem { int64_t m, n, k, lda, ldb, ldc; bool transpose_b; float alpha, beta; };

#define PARTS 8

template <typename T>
__global__ void part_kernel(const T* a, const T* b, float* w, Problem p) {
    int64_t col = (int64_t)blockIdx.x * 32 + threadIdx.x, row = (int64_t)blockIdx.y * 8 + threadIdx.y;
    if (row >= p.m || col >= p.n) return;
    int64_t per = (p.k + PARTS - 1) / PARTS, first = blockIdx.z * per, last = first + per < p.k ? first + per : p.k;
    float s = 0.0f;
    for (int64_t q = first; q + 4 <= last; q += 4) for (int64_t i = q; i < q + 4; ++i) s += (float)a[row * p.lda + i] * (float)(p.transpose_b ? b[col * p.ldb + i] : b[i * p.ldb + col]);
    w[((int64_t)blockIdx.z * p.m + row) * p.n + col] = s;
}

template <typename T>
__global__ void join_kernel(const float* w, T* c, Problem p) {
    int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= p.m * p.n) return;
    float s = 0.0f;
    for (int z = 0; z < PARTS; ++z) s += w[(int64_t)z * p.m * p.n + i];
    int64_t at = i / p.n * p.ldc + i % p.n;
    float v = p.alpha * s;
    if (p.beta != 0.0f) v += p.beta * (float)c[at];
    c[at] = (T)v;
}

template <typename T>
static cudaError_t go(const T* a, const T* b, T* c, const Problem& p, cudaStream_t stream) {
    float* w;
    cudaError_t e = cudaMallocAsync((void**)&w, sizeof(float) * PARTS * p.m * p.n, stream);
    if (e != cudaSuccess) return e;
    part_kernel<T><<<dim3((unsigned)((p.n + 31) / 32), (unsigned)((p.m + 7) / 8), PARTS), dim3(32, 8), 0, stream>>>(a, b, w, p);
    join_kernel<T><<<(unsigned)((p.m * p.n + 255) / 256), 256, 0, stream>>>(w, c, p);
    e = cudaGetLastError();
    cudaFreeAsync(w, stream);
    return e;
}

extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                   int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    return go(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}
extern "C" cudaError_t gemm_skinny_bf16(const bf16* a, const bf16* b, bf16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                        int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    return go(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}

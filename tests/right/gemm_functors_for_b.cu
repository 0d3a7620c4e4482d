// exercise: gemm_naive
// unusual: rows in a grid-stride loop, a functor for op(B), 20 x 8 threads
#include <cuda_runtime.h>
#include <stdint.h>

struct Plain {
    const float* b;
    int64_t ld;
    __device__ float operator()(int64_t p, int64_t j) const { return b[p * ld + j]; }
};
struct Turned {
    const float* b;
    int64_t ld;
    __device__ float operator()(int64_t p, int64_t j) const { return b[j * ld + p]; }
};

template <class B>
__global__ void each(const float* a, B b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldc, float2 scale) {
    const int64_t j = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    for (int64_t i = blockIdx.y * (int64_t)blockDim.y + threadIdx.y; i < m; i += (int64_t)gridDim.y * blockDim.y) {
        if (j >= n) continue;
        float sum = 0;
        for (int64_t p = 0; p != k; ++p) sum = __fmaf_rn(a[i * lda + p], b(p, j), sum);
        float* const to = c + (i * ldc + j);
        *to = scale.y == 0 ? scale.x * sum : scale.x * sum + scale.y * *to;
    }
}

extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda,
                                  int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m < 1 || n < 1) return cudaSuccess;
    const dim3 block{20, 8};
    const dim3 grid{(unsigned)((n + 19) / 20), (unsigned)(m < 8 * 1024 ? (m + 7) / 8 : 1024)};
    if (transpose_b) each<<<grid, block, 0, stream>>>(a, Turned{b, ldb}, c, m, n, k, lda, ldc, make_float2(alpha, beta));
    else each<<<grid, block, 0, stream>>>(a, Plain{b, ldb}, c, m, n, k, lda, ldc, make_float2(alpha, beta));
    return cudaGetLastError();
}

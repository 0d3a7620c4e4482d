// exercise: gemm_naive
// unusual: the sum along k is pairwise: a recursion of templates over powers of two down to 8 products, a stack of partial sums like a binary counter
#include <cuda_runtime.h>
#include <stdint.h>

template <int kLength> struct Stretch {
    template <typename F> static __device__ float sum(const F& product, int64_t from) {
        if constexpr (kLength <= 8) {
            float s = product(from);
#pragma unroll
            for (int e = 1; e < kLength; ++e) s += product(from + e);
            return s;
        } else {
            return Stretch<kLength / 2>::sum(product, from) + Stretch<kLength / 2>::sum(product, from + kLength / 2);
        }
    }
};
template <typename F> __device__ float pairwise(const F& product, int64_t k) {
    float waiting[48];   // waiting[b]: the sum of 2^b stretches, where bit b of the counter is set
    uint64_t count = 0;
    int64_t p = 0;
    for (; p + 32 <= k; p += 32, ++count) {
        float s = Stretch<32>::sum(product, p);
        int b = 0;
        for (; count >> b & 1; ++b) s = waiting[b] + s;
        waiting[b] = s;
    }
    float s = 0.0f;
    for (; p < k; ++p) s += product(p);
    for (int b = 0; count >> b; ++b) if (count >> b & 1) s += waiting[b];
    return s;
}
template <bool kTurned> __global__ void product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) {
    const int64_t across = (n + 31) / 32;
    const int64_t i = blockIdx.x / across * 8 + threadIdx.y, j = blockIdx.x % across * 32 + threadIdx.x;
    if (i >= m || j >= n) return;
    const float* row = a + i * lda;
    const float s = pairwise([=](int64_t p) { return row[p] * (kTurned ? b[j * ldb + p] : b[p * ldb + j]); }, k);
    float& out = c[i * ldc + j];
    out = beta == 0.0f ? alpha * s : alpha * s + beta * out;
}
extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)((m + 7) / 8 * ((n + 31) / 32));
    const auto kernel = transpose_b ? product<true> : product<false>;
    kernel<<<blocks, dim3(32, 8), 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    return cudaGetLastError();
}

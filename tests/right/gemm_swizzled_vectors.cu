// exercise: gemm_tiled
// unusual: 64 x 64 tiles whose columns are swizzled by XOR of float4s instead of padded, a vector class with operators, unrolled by an index_sequence
#include <cuda_runtime.h>
#include <stdint.h>
#include <utility>

struct alignas(16) Four {
    float x, y, z, w;
    __device__ Four& operator+=(const Four& o) { x += o.x; y += o.y; z += o.z; w += o.w; return *this; }
    __device__ friend Four operator*(float s, const Four& v) { return {s * v.x, s * v.y, s * v.z, s * v.w}; }
    __device__ float operator[](int i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
};
constexpr int kSide = 64, kDeep = 16;
__device__ constexpr int swizzled(int p, int group) { return p * (kSide / 4) + (group ^ (p & 7)); }   // of float4s

template <typename F, int... I> __device__ void unrolled(std::integer_sequence<int, I...>, F&& f) { (f(std::integral_constant<int, I>{}), ...); }

__global__ void __launch_bounds__(256) product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down, int64_t aside, int64_t ldc, float alpha, float beta) {
    __shared__ Four as[kDeep * kSide / 4], bs[kDeep * kSide / 4];
    const int64_t across = (n + kSide - 1) / kSide, row0 = blockIdx.x / across * kSide, col0 = blockIdx.x % across * kSide;
    const int t = threadIdx.x, ti = t / 16, tj = t % 16;   // 4 x 4 elements of C each
    Four sums[4] = {};
    for (int64_t p0 = 0; p0 < k; p0 += kDeep) {
        for (int e = t; e < kDeep * kSide; e += 256) {
            const int i = e / kDeep, p = e % kDeep;
            reinterpret_cast<float*>(&as[swizzled(p, i / 4)])[i % 4] = row0 + i < m && p0 + p < k ? a[(row0 + i) * lda + p0 + p] : 0.0f;
            const int q = e / kSide, j = e % kSide;
            reinterpret_cast<float*>(&bs[swizzled(q, j / 4)])[j % 4] = col0 + j < n && p0 + q < k ? b[(p0 + q) * down + (col0 + j) * aside] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < kDeep; ++p) {
            const Four left = as[swizzled(p, ti)], right = bs[swizzled(p, tj)];
            unrolled(std::make_integer_sequence<int, 4>{}, [&](auto i) { sums[decltype(i)::value] += left[decltype(i)::value] * right; });
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const int64_t r = row0 + 4 * ti + i, q = col0 + 4 * tj + j;
            if (r >= m || q >= n) continue;
            float* const out = &c[r * ldc + q];
            *out = alpha * sums[i][j] + (beta == 0.0f ? 0.0f : beta * *out);
        }
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t tiles = (m + kSide - 1) / kSide * ((n + kSide - 1) / kSide);
    product<<<(unsigned)tiles, 256, 0, stream>>>(a, b, c, m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta);
    return cudaGetLastError();
}

// exercise: gemm_skinny
// unusual: eight lanes, a tile of cooperative groups, share each dot product along k; shfl_down by the tile, grid-stride over elements of C, an iterator adaptor
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>
namespace cg = cooperative_groups;

template <typename T> class Line {
public:
    __device__ Line(const T* at, int64_t step, bool pairs) : at_(at), step_(step), pairs_(pairs) {}
    __device__ bool pairs() const { return pairs_; }
    __device__ float operator[](int64_t p) const { return (float)at_[p * step_]; }
    __device__ float2 pair(int64_t p) const;   // p is even

private:
    const T* at_;
    int64_t step_;
    bool pairs_;
};
template <> __device__ float2 Line<float>::pair(int64_t p) const { return *reinterpret_cast<const float2*>(at_ + p); }
template <> __device__ float2 Line<__nv_bfloat16>::pair(int64_t p) const {
    const __nv_bfloat162 two = *reinterpret_cast<const __nv_bfloat162*>(at_ + p);
    return __bfloat1622float2(two);
}
template <typename T> __device__ Line<T> line(const T* at, int64_t step) { return Line<T>(at, step, step == 1 && (uintptr_t)at % (2 * sizeof(T)) == 0); }

template <typename T> __global__ void products(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down, int64_t aside, int64_t ldc, float alpha, float beta) {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int64_t tiles = (int64_t)gridDim.x * tile.meta_group_size();
    for (int64_t e = (int64_t)blockIdx.x * tile.meta_group_size() + tile.meta_group_rank(); e < m * n; e += tiles) {
        const int64_t i = e / n, j = e % n;
        const Line<T> row = line(a + i * lda, 1), col = line(b + j * aside, down);
        float s = 0.0f;
        int64_t p = 0;
        if (row.pairs() && col.pairs()) {
            for (int64_t q = 2 * tile.thread_rank(); q + 1 < k; q += 16) {
                const float2 u = row.pair(q), v = col.pair(q);
                s += u.x * v.x + u.y * v.y;
            }
            p = k & ~int64_t{1};
        }
        for (p += tile.thread_rank(); p < k; p += tile.size()) s += row[p] * col[p];
        for (int o = tile.size() / 2; o > 0; o /= 2) s += tile.shfl_down(s, o);
        if (tile.thread_rank() == 0) {
            T* const out = c + i * ldc + j;
            *out = static_cast<T>(beta == 0.0f ? alpha * s : alpha * s + beta * static_cast<float>(*out));
        }
    }
}
template <typename T> cudaError_t launch(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t blocks = (m * n + 15) / 16;
    products<<<(unsigned)(blocks < 100000 ? blocks : 100000), 128, 0, stream>>>(a, b, c, m, n, k, lda, turned ? 1 : ldb, turned ? ldb : 1, ldc, alpha, beta);
    return cudaGetLastError();
}
extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return launch(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }
extern "C" cudaError_t gemm_skinny_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return launch(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }

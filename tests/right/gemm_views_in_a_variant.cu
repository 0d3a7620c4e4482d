// exercise: gemm_naive
// unusual: op(B) is a std::variant of two types of view on the host, std::visit makes the launch; the kernel is a template of the view, k goes by a switch into a loop
#include <cuda_runtime.h>
#include <cstdint>
#include <variant>

struct Rows {
    const float* b;
    std::int64_t ldb;
    __device__ const float* column(std::int64_t j) const { return b + j; }
    __device__ std::int64_t step() const { return ldb; }
};
struct Turned {
    const float* b;
    std::int64_t ldb;
    __device__ const float* column(std::int64_t j) const { return b + j * ldb; }
    static __device__ constexpr std::int64_t step() { return 1; }
};
using View = std::variant<Rows, Turned>;

// Four products a turn; the first turn begins inside.
template <typename V> __device__ float dot(const float* a, const V& view, std::int64_t j, std::int64_t k) {
    const float* b = view.column(j);
    const std::int64_t step = view.step();
    float s = 0.0f;
    if (k == 0) return s;
    std::int64_t turns = (k + 3) / 4;
    switch (k % 4) {
        case 0: do { s = fmaf(*a++, *b, s); b += step; [[fallthrough]];
        case 3:      s = fmaf(*a++, *b, s); b += step; [[fallthrough]];
        case 2:      s = fmaf(*a++, *b, s); b += step; [[fallthrough]];
        case 1:      s = fmaf(*a++, *b, s); b += step;
                } while (--turns > 0);
    }
    return s;
}
template <typename V> __global__ void product(const float* a, V view, float* c, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t lda, std::int64_t ldc, float alpha, float beta) {
    const std::int64_t e = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
    if (e >= m * n) return;
    const std::int64_t i = e / n, j = e % n;
    const float s = alpha * dot(a + i * lda, view, j, k);
    float* const out = c + i * ldc + j;
    *out = beta == 0.0f ? s : fmaf(beta, *out, s);
}
extern "C" cudaError_t gemm_naive(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t lda, std::int64_t ldb, std::int64_t ldc, std::int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const View view = transpose_b ? View(Turned{b, ldb}) : View(Rows{b, ldb});
    return std::visit([&](auto v) {
        product<<<static_cast<unsigned>((m * n + 127) / 128), 128, 0, stream>>>(a, v, c, m, n, k, lda, ldc, alpha, beta);
        return cudaGetLastError();
    }, view);
}

// exercise: vector_add
// unusual: libcu++ throughout: cuda::std::span, array, plus, min, ceil_div; a for loop over a span's own elements
#include <cuda/cmath>
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/span>
#include <cuda_runtime.h>
namespace std_ = cuda::std;
constexpr int kThreads = 96, kPer = 3;
__global__ void add(std_::span<const float> a, std_::span<const float> b, std_::span<float> out) {
    const std_::size_t first = std_::size_t(blockIdx.x) * kThreads * kPer;
    const std_::size_t count = ::min((std_::size_t)kThreads * kPer, out.size() - first);
    auto mine_a = a.subspan(first, count);
    auto mine_b = b.subspan(first, count);
    auto mine = out.subspan(first, count);
    std_::array<float, kPer> sums{};
    for (int k = 0; k < kPer; ++k) {
        const unsigned i = k * kThreads + threadIdx.x;
        if (i < count) sums[k] = std_::plus<>{}(mine_a[i], mine_b[i]);
    }
    unsigned i = threadIdx.x;
    for (const float s : sums) {
        if (i < count) mine[i] = s;
        i += kThreads;
    }
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, std_::int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    const auto size = static_cast<std_::size_t>(n);
    add<<<(unsigned)cuda::ceil_div(size, std_::size_t(kThreads * kPer)), kThreads, 0, stream>>>({a, size}, {b, size}, {out, size});
    return cudaGetLastError();
}

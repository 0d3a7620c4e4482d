// exercise: softmax_mul
// unusual: namespaces, a variadic struct of views with tuple protocol of its own for structured bindings, operators () and [], a base-2 softmax by scalbnf
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <tuple>
#include <utility>

namespace matrices {
template <typename T> class View {
public:
    View() = default;
    __host__ __device__ constexpr View(T* data, int64_t stride) : data_(data), stride_(stride) {}
    __device__ constexpr T* operator[](int64_t row) const { return data_ + row * stride_; }
    __device__ constexpr T& operator()(int64_t row, int64_t col) const { return data_[row * stride_ + col]; }

private:
    T* data_ = nullptr;
    int64_t stride_ = 0;
};
template <typename T> struct Three {
    View<const T> x, w;
    View<T> y;
    template <std::size_t I> __host__ __device__ const auto& get() const {
        if constexpr (I == 0) return x;
        else if constexpr (I == 1) return w;
        else return y;
    }
};
}   // namespace matrices
template <typename T> struct std::tuple_size<matrices::Three<T>> : std::integral_constant<std::size_t, 3> {};
template <std::size_t I, typename T> struct std::tuple_element<I, matrices::Three<T>> {
    using type = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<const matrices::Three<T>&>().template get<I>())>>;
};

namespace arithmetic {
inline namespace base2 {
constexpr float kLog2e = 1.44269504088896340736f;
// 2^v for v <= 0: the whole part by scalbnf, the rest between -0.5 and 0.5 by exp2f.
__device__ inline float power(float v) {
    if (!(v > -160.0f)) return isnan(v) ? v : 0.0f;
    const float whole = rintf(v);
    return scalbnf(exp2f(v - whole), (int)whole);
}
}   // namespace base2
template <typename F> __device__ float butterfly(float v, F f) {
    for (int o = 1; o < 32; o += o) v = f(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
}   // namespace arithmetic

template <typename T> __global__ void fused(const matrices::Three<T> all, const int64_t rows, const int64_t cols) {
    const auto& [x, w, y] = all;
    const int lane = threadIdx.x;
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const T* const in = x[row];
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = lane; c < cols; c += 32) m = fmaxf(m, (float)in[c]);
    m = arithmetic::butterfly(m, [](float a, float b) { return fmaxf(a, b); });
    const auto weight = [m](float v) { return arithmetic::power((v - m) * arithmetic::kLog2e); };
    for (int64_t c = lane; c < cols; c += 32) s += weight((float)in[c]);
    s = arithmetic::butterfly(s, [](float a, float b) { return a + b; });
    for (int64_t c = lane; c < cols; c += 32) y(row, c) = T(weight((float)in[c]) / s * (float)w(row, c));
}
template <typename T> cudaError_t launch(matrices::Three<T> all, int64_t rows, int64_t cols, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    fused<<<(unsigned)((rows + 3) / 4), dim3(32, 4), 0, stream>>>(all, rows, cols);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch<T>({{x, xs}, {w, ws}, {y, ys}}, rows, cols, s); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)

// exercise: vector_add
// unusual: expression templates by CRTP: operator+ of two views makes a type, and a generic kernel evaluates it
#include <cuda_runtime.h>
#include <stdint.h>
#include <type_traits>

template <typename Self> struct Expression {
    __host__ __device__ const Self& self() const { return static_cast<const Self&>(*this); }
    __device__ auto operator[](int64_t i) const { return self().at(i); }
};
template <typename T> class View : public Expression<View<T>> {
    T* data_ = nullptr;
    int64_t size_ = 0;

  public:
    using value_type = std::remove_const_t<T>;
    constexpr View(T* data, int64_t size) : data_{data}, size_{size} {}
    [[nodiscard]] __host__ __device__ constexpr int64_t size() const noexcept { return size_; }
    __device__ T& at(int64_t i) const { return data_[i]; }
};
template <typename Op, typename L, typename R> struct Binary : Expression<Binary<Op, L, R>> {
    L l;
    R r;
    __host__ __device__ Binary(L left, R right) : l(left), r(right) {}
    __device__ auto at(int64_t i) const { return Op{}(l.at(i), r.at(i)); }
};
struct Plus {
    template <typename A, typename B> __device__ constexpr auto operator()(A a, B b) const { return a + b; }
};
template <typename L, typename R> auto operator+(const Expression<L>& l, const Expression<R>& r) { return Binary<Plus, L, R>{l.self(), r.self()}; }

template <int kItems, typename E, typename T> __global__ void __launch_bounds__(128) evaluate(const E e, View<T> out) {
    const int64_t first = (int64_t)blockIdx.x * (blockDim.x * kItems) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < kItems; ++k)
        if (const int64_t i = first + k * (int64_t)blockDim.x; i < out.size()) out.at(i) = e[i];
}

template <typename T, typename E> cudaError_t assign(View<T> out, const Expression<E>& e, cudaStream_t stream) {
    constexpr int kItems = 4, kThreads = 128;
    if (out.size() == 0) return cudaSuccess;
    evaluate<kItems><<<(unsigned)((out.size() + kItems * kThreads - 1) / (kItems * kThreads)), kThreads, 0, stream>>>(e.self(), out);
    return cudaGetLastError();
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    return assign(View{out, n}, View{a, n} + View{b, n}, stream);
}

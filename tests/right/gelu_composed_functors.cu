// exercise: gelu
// unusual: a chain of functors composed by operator>> into one type, auto template parameters, copies through shared memory by cuda::pipeline of a thread
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <type_traits>
template <class F, class G> struct Then {
    F f;
    G g;
    template <class V> __device__ auto operator()(V v) const { return g(f(v)); }
};
struct Step {};
template <class F, class G, class = std::enable_if_t<std::is_base_of_v<Step, G>>> constexpr Then<F, G> operator>>(F f, G g) { return {f, g}; }
struct Both { float x, t; };   // the element, and what has become of it
struct Begin : Step { __device__ Both operator()(float x) const { return {x, x}; } };
struct Erf : Step { __device__ Both operator()(Both b) const { return {b.x, erff(b.t * 0.70710678118654752f)}; } };
struct Cubic : Step { __device__ Both operator()(Both b) const { return {b.x, 0.79788456080286536f * fmaf(0.044715f * b.t * b.t, b.t, b.t)}; } };
struct Tanh : Step { __device__ Both operator()(Both b) const { return {b.x, tanhf(b.t)}; } };
struct Half1p : Step { __device__ float operator()(Both b) const { return b.x * (0.5f + 0.5f * b.t); } };
constexpr int kThreads = 128, kStages = 3;
template <typename T, class Chain> __global__ void apply(const T* x, T* y, int64_t n, Chain chain) {
    __shared__ T stage[kStages][kThreads];
    auto pipe = cuda::make_pipeline();
    const int64_t first = (int64_t)blockIdx.x * kThreads + threadIdx.x, step = (int64_t)gridDim.x * kThreads;
    T* const slots[kStages] = {&stage[0][threadIdx.x], &stage[1][threadIdx.x], &stage[2][threadIdx.x]};
    int64_t ahead = first;
    auto fill = [&](int s) {
        pipe.producer_acquire();
        if constexpr (sizeof(T) >= 4) {
            if (ahead < n) cuda::memcpy_async(slots[s], x + ahead, sizeof(T), pipe);
        } else {
            if (ahead < n) *slots[s] = x[ahead];
        }
        pipe.producer_commit();
        ahead += step;
    };
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) fill(s);
    int s = 0;
    for (int64_t i = first; i < n; i += step, s = (s + 1) % kStages) {
        fill((s + kStages - 1) % kStages);
        cuda::pipeline_consumer_wait_prior<kStages - 1>(pipe);
        y[i] = (T)chain((float)*slots[s]);
        pipe.consumer_release();
    }
}
template <typename T> cudaError_t gelu_of(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    const auto exact = Begin{} >> Erf{} >> Half1p{};
    const auto tanh = Begin{} >> Cubic{} >> Tanh{} >> Half1p{};
    const unsigned blocks = (unsigned)((n + kThreads * 4 - 1) / (kThreads * 4));
    if (approximate) apply<<<blocks, kThreads, 0, stream>>>(x, y, n, tanh);
    else apply<<<blocks, kThreads, 0, stream>>>(x, y, n, exact);
    return cudaGetLastError();
}
extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t a, cudaStream_t s) { return gelu_of(x, y, n, a, s); }
extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t a, cudaStream_t s) { return gelu_of(x, y, n, a, s); }
extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t a, cudaStream_t s) { return gelu_of(x, y, n, a, s); }

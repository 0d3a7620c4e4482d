// exercise: gelu
// unusual: __builtin_assume_aligned, __builtin_assume and __builtin_expect; a do-while loop with a countdown; stream of its own with a priority, between two events
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ __noinline__ float outside(float x) { return isnan(x) ? x : x > 0.0f ? x : x == -INFINITY ? NAN : -0.0f; }
template <bool kTanh> __device__ __forceinline__ float of(float x) {
    if (__builtin_expect(!(fabsf(x) < 20.0f), 0)) return outside(x);
    return kTanh ? 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))) : 0.5f * x * (1.0f + erff(0.7071067812f * x));
}
template <typename T, bool kTanh> __global__ void aligned(const T* px, T* py, int64_t groups) {
    constexpr int kEach = 16 / sizeof(T);
    const T* x = static_cast<const T*>(__builtin_assume_aligned(px, 16));
    T* y = static_cast<T*>(__builtin_assume_aligned(py, 16));
    __builtin_assume(blockDim.x == 64);
    int64_t left = groups - ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (left <= 0) return;
    int64_t g = groups - left;
    do {
        const uint4 raw = reinterpret_cast<const uint4*>(x)[g];
        T some[kEach];
        __builtin_memcpy(some, &raw, 16);
#pragma unroll
        for (int e = 0; e < kEach; ++e) y[g * kEach + e] = T(of<kTanh>((float)some[e]));
        g += (int64_t)gridDim.x * blockDim.x;
    } while ((left -= (int64_t)gridDim.x * blockDim.x) > 0);
}
template <typename T, bool kTanh> __global__ void rest(const T* x, T* y, int64_t from, int64_t n) {
    for (int64_t i = from + (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) y[i] = T(of<kTanh>((float)x[i]));
}
struct Side {   // a stream of high priority that begins where `main` is now; join() makes main wait
    cudaStream_t main, side = nullptr;
    cudaEvent_t event = nullptr;
    cudaError_t error;
    explicit Side(cudaStream_t stream) : main(stream) {
        int least = 0, greatest = 0;
        error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
        if (!error) error = cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, greatest);
        if (!error) error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        if (!error) error = cudaEventRecord(event, main);
        if (!error) error = cudaStreamWaitEvent(side, event, 0);
    }
    void join() {
        if (!error) error = cudaEventRecord(event, side);
        if (!error) error = cudaStreamWaitEvent(main, event, 0);
    }
    ~Side() {
        if (event) cudaEventDestroy(event);
        if (side) cudaStreamDestroy(side);
    }
};
template <typename T, bool kTanh> cudaError_t launch(const T* x, T* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const bool both = ((uintptr_t)x | (uintptr_t)y) % 16 == 0;
    const int64_t groups = both ? n * (int64_t)sizeof(T) / 16 : 0, done = groups * (16 / (int64_t)sizeof(T));
    if (done == n || groups == 0) {
        if (groups) aligned<T, kTanh><<<(unsigned)((groups + 127) / 128), 64, 0, stream>>>(x, y, groups);
        else rest<T, kTanh><<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, 0, n);
        return cudaGetLastError();
    }
    Side side(stream);
    if (side.error) return side.error;
    aligned<T, kTanh><<<(unsigned)((groups + 127) / 128), 64, 0, stream>>>(x, y, groups);
    cudaError_t e = cudaGetLastError();
    rest<T, kTanh><<<1, 32, 0, side.side>>>(x, y, done, n);
    if (!e) e = cudaGetLastError();
    side.join();
    return e ? e : side.error;
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t s) { return approximate ? launch<T, true>(x, y, n, s) : launch<T, false>(x, y, n, s); }
LAUNCHER(gelu, float)
LAUNCHER(gelu_f16, __half)
LAUNCHER(gelu_bf16, __nv_bfloat16)

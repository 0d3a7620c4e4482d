// exercise: gelu
// unusual: each lane loads single elements a warp apart, and shuffles turn four of them into the float4 that the lane stores, where y allows one
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

enum class Form : int { exact = 0, tanh = 1 };
template <Form kForm> __device__ float gelu_of(float x) {
    if (kForm == Form::tanh) return x / (1.0f + expf(-1.5957691f * (x + 0.044715f * x * x * x)));
    return 0.5f * x * erfcf(-0.70710678f * x);
}
template <Form kForm> __global__ void turned(const float* x, float* y, int64_t n) {
    const int lane = threadIdx.x % 32;
    const int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32, from = warp * 128;
    if (from >= n) return;   // a whole warp
    float loaded[4], mine[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int64_t i = from + r * 32 + lane;
        loaded[r] = i < n ? gelu_of<kForm>(x[i]) : 0.0f;
    }
    // Element 4 * lane + e was loaded in round lane / 8 by lane (4 * lane + e) % 32.
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        float candidates[4];
#pragma unroll
        for (int r = 0; r < 4; ++r) candidates[r] = __shfl_sync(0xffffffffu, loaded[r], (4 * lane + e) % 32);
        mine[e] = lane < 8 ? candidates[0] : lane < 16 ? candidates[1] : lane < 24 ? candidates[2] : candidates[3];
    }
    const int64_t at = from + 4 * lane;
    if (at + 4 <= n) {
        const float4 four = make_float4(mine[0], mine[1], mine[2], mine[3]);
        *reinterpret_cast<float4*>(y + at) = four;
    } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) if (at + e < n) y[at + e] = mine[e];
    }
}
template <Form kForm, typename T> __global__ void plain(const T* x, T* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = T(gelu_of<kForm>((float)x[i]));
}
template <Form kForm, typename T> cudaError_t launch(const T* x, T* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    if constexpr (sizeof(T) == 4) {
        if ((uintptr_t)y % 16 == 0) {
            turned<kForm><<<(unsigned)((n + 1023) / 1024), 256, 0, stream>>>(x, y, n);
            return cudaGetLastError();
        }
    }
    plain<kForm><<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
#define LAUNCHER(name, T)                                                                                       \
    extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {        \
        switch (static_cast<Form>(approximate)) {                                                               \
            case Form::exact: return launch<Form::exact>(x, y, n, stream);                                      \
            default: return launch<Form::tanh>(x, y, n, stream);                                                \
        }                                                                                                       \
    }
LAUNCHER(gelu, float)
LAUNCHER(gelu_f16, __half)
LAUNCHER(gelu_bf16, __nv_bfloat16)

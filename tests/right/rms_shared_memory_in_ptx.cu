// exercise: rmsnorm
// unusual: shared memory in PTX alone: st.shared, red.shared.add.f32, ld.shared.v2, addresses by cvta.to.shared; two sums, of even and odd warps, in one place
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;
__device__ __forceinline__ uint32_t shared_of(const void* p) {
    uint64_t at;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"(p));
    return (uint32_t)at;
}
__device__ __forceinline__ void put(uint32_t at, float v) { asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory"); }
__device__ __forceinline__ void add(uint32_t at, float v) { asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory"); }
__device__ __forceinline__ float2 both(uint32_t at) {
    float2 v;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at) : "memory");
    return v;
}
template <typename T> __global__ void rms(const T* x, const T* r, const T* w, T* y, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    __shared__ float2 sums;
    const uint32_t at = shared_of(&sums);
    if (threadIdx.x < 2) put(at + 4 * threadIdx.x, 0.0f);
    __syncthreads();
    x += blockIdx.x * xs;
    r += blockIdx.x * rs;
    float s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float h = (float)x[c] + (float)r[c];
        s = fmaf(h, h, s);
    }
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) add(at + threadIdx.x / 32 % 2 * 4, s);
    __syncthreads();
    const float2 two = both(at);
    const float scale = 1.0f / sqrtf((two.x + two.y) / (float)cols + eps);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[blockIdx.x * ys + c] = T(((float)x[c] + (float)r[c]) * scale * (float)w[c]);
}
template <typename T> cudaError_t launch(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    rms<<<(unsigned)rows, kThreads, 0, stream>>>(x, r, w, y, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t s) { return launch(x, r, w, y, rows, cols, xs, rs, ys, eps, s); }
LAUNCHER(rmsnorm, float)
LAUNCHER(rmsnorm_f16, __half)
LAUNCHER(rmsnorm_bf16, __nv_bfloat16)

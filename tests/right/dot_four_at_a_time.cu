// exercise: dot_product
// unusual: float4 where both addresses allow it, else scalars; four running sums of a thread; shuffles over an odd number of warps
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 192
#endif

__global__ void dot(const float* a, const float* b, float* out, int64_t n, bool wide) {
    __shared__ float warps[(BLOCK + 31) / 32];
    float4 s = make_float4(0, 0, 0, 0);
    int64_t done = 0;
    if (wide) {
        for (int64_t i = threadIdx.x; i < n / 4; i += BLOCK) {
            const float4 u = reinterpret_cast<const float4*>(a)[i], v = reinterpret_cast<const float4*>(b)[i];
            s.x += u.x * v.x; s.y += u.y * v.y; s.z += u.z * v.z; s.w += u.w * v.w;
        }
        done = n / 4 * 4;
    }
    for (int64_t i = done + threadIdx.x; i < n; i += BLOCK) s.x += a[i] * b[i];
    float sum = (s.x + s.y) + (s.z + s.w);
    const unsigned here = __activemask();
    const int lanes = __popc(here), lane = threadIdx.x % 32;
    for (int step = 16; step; step >>= 1) {
        const float other = __shfl_down_sync(here, sum, lane + step < lanes ? step : 0);
        if (lane + step < lanes) sum += other;
    }
    if (lane == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < (BLOCK + 31) / 32; ++w) sum += warps[w];
    out[0] = sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const bool wide = ((uintptr_t)a | (uintptr_t)b) % sizeof(float4) == 0;
    dot<<<1, BLOCK, 0, stream>>>(a, b, out, n, wide);
    return cudaGetLastError();
}

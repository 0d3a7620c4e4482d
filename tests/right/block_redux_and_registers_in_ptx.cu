// exercise: softmax_block
// unusual: redux.sync.max, shfl.sync with its predicate, bar.sync and %laneid, %warpsize, %tid in PTX; the intrinsics have no part in it
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#define REGISTER(name, special) \
    static __device__ __forceinline__ unsigned name() { unsigned v; asm("mov.u32 %0, %%" special ";" : "=r"(v)); return v; }
REGISTER(lane, "laneid")
REGISTER(thread, "tid.x")
REGISTER(threads, "ntid.x")
REGISTER(row, "ctaid.x")

__device__ __forceinline__ float largest(float v) {
    int o = __float_as_int(v);
    o ^= (o >> 31) & 0x7fffffff;
    asm volatile("redux.sync.max.s32 %0, %0, 0xffffffff;" : "+r"(o));
    o ^= (o >> 31) & 0x7fffffff;
    return __int_as_float(o);
}
// shfl.down says by a predicate whether there was such a lane.
__device__ __forceinline__ float summed(float v) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        asm volatile("{\n\t"
                     ".reg .f32 below;\n\t"
                     ".reg .pred there;\n\t"
                     "shfl.sync.down.b32 below|there, %0, %1, 31, 0xffffffff;\n\t"
                     "@there add.f32 %0, %0, below;\n\t"
                     "}"
                     : "+f"(v)
                     : "r"(d));
    }
    float all;
    asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;" : "=f"(all) : "f"(v));
    return all;
}
__device__ __forceinline__ void everybody() { asm volatile("bar.sync 0;" ::: "memory"); }

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float tops[8], sums[8];
    const float* in = x + (int64_t)row() * xs;
    float* out = y + (int64_t)row() * ys;
    const unsigned warp = thread() / 32;
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = thread(); c < cols; c += threads()) m = fmaxf(m, in[c]);
    m = largest(m);
    if (lane() == 0) tops[warp] = m;
    everybody();
    m = largest(tops[lane() % 8]);
    for (int64_t c = thread(); c < cols; c += threads()) s += expf(in[c] - m);
    s = summed(s);
    if (lane() == 0) sums[warp] = s;
    everybody();
    s = summed(lane() < 8 ? sums[lane()] : 0.0f);
    for (int64_t c = thread(); c < cols; c += threads()) out[c] = expf(in[c] - m) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, 256, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}

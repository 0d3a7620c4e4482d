// exercise: softmax_mul
// unusual: short rows lie side by side in a warp: __match_any_sync tells each lane who shares its row, and masks of that drive __reduce_max_sync and shuffles
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Operands { const T *x, *w; T* y; int64_t rows, cols, xs, ws, ys; };
__device__ int ordered(float v) { const int b = __float_as_int(v); return b < 0 ? b ^ 0x7fffffff : b; }
__device__ float number(int b) { return __int_as_float(b < 0 ? b ^ 0x7fffffff : b); }

template <typename T> __global__ void __launch_bounds__(128) side_by_side(Operands<T> o) {
    const int lane = threadIdx.x % 32, cols = (int)o.cols, at_once = 32 / cols;
    const int64_t warp = ((int64_t)blockIdx.x * 128 + threadIdx.x) / 32;
    const int64_t row = warp * at_once + lane / cols;
    const bool works = lane < at_once * cols && row < o.rows;
    const unsigned working = __ballot_sync(~0u, works);
    if (!works) return;
    const unsigned mates = __match_any_sync(working, (unsigned long long)row);
    const int64_t col = lane % cols;
    const float v = (float)o.x[row * o.xs + col];
    const float m = number(__reduce_max_sync(mates, ordered(isnan(v) ? -INFINITY : v)));
    const float e = expf(v - m);
    float s = 0.0f;
    for (unsigned left = mates; left; left &= left - 1) s += __shfl_sync(mates, e, __ffs(left) - 1);
    o.y[row * o.ys + col] = T(e / s * (float)o.w[row * o.ws + col]);
}
template <typename T> __global__ void __launch_bounds__(128) row_per_block(Operands<T> o) {
    __shared__ float slots[2][4];
    const T* x = o.x + blockIdx.x * o.xs;
    float m = -INFINITY, s = 0.0f;
    for (int64_t c = threadIdx.x; c < o.cols; c += 128) m = fmaxf(m, (float)x[c]);
    m = number(__reduce_max_sync(~0u, ordered(m)));
    if (threadIdx.x % 32 == 0) slots[0][threadIdx.x / 32] = m;
    __syncthreads();
    m = fmaxf(fmaxf(slots[0][0], slots[0][1]), fmaxf(slots[0][2], slots[0][3]));
    for (int64_t c = threadIdx.x; c < o.cols; c += 128) s += expf((float)x[c] - m);
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) slots[1][threadIdx.x / 32] = s;
    __syncthreads();
    s = slots[1][0] + slots[1][1] + slots[1][2] + slots[1][3];
    for (int64_t c = threadIdx.x; c < o.cols; c += 128) o.y[blockIdx.x * o.ys + c] = T(expf((float)x[c] - m) / s * (float)o.w[blockIdx.x * o.ws + c]);
}
template <typename T> cudaError_t launch(Operands<T> o, cudaStream_t stream) {
    if (o.rows <= 0 || o.cols <= 0) return cudaSuccess;
    if (o.cols <= 16) {
        const int64_t of_block = 4 * (32 / o.cols);
        side_by_side<<<(unsigned)((o.rows + of_block - 1) / of_block), 128, 0, stream>>>(o);
    } else {
        row_per_block<<<(unsigned)o.rows, 128, 0, stream>>>(o);
    }
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys, cudaStream_t s) { return launch<T>({x, w, y, rows, cols, xs, ws, ys}, s); }
LAUNCHER(softmax_mul, float)
LAUNCHER(softmax_mul_f16, __half)
LAUNCHER(softmax_mul_bf16, __nv_bfloat16)

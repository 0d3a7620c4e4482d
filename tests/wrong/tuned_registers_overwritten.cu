// exercise: softmax_tuned
// bug: a thread's ninth value is kept where its first one was, and read again where the first one is wanted
// group: shapes
// caught: values, row-sum
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;
constexpr int kHeld = 8;

// The first 8 values of each thread stay in registers; further ones are read again.
template <typename T>
__global__ void row_in_registers(const T* x, T* y, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float parts[2][kThreads / 32];
    const T* in = x + blockIdx.x * xs;
    T* out = y + blockIdx.x * ys;
    float held[kHeld];
    float top = -INFINITY, sum = 0.0f;
    int slot = 0;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        held[slot % kHeld] = (float)in[c];
        top = fmaxf(top, held[slot % kHeld]);
        ++slot;
    }
    for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    if (threadIdx.x % 32 == 0) parts[0][threadIdx.x / 32] = top;
    __syncthreads();
    for (int w = 0; w < kThreads / 32; ++w) top = fmaxf(top, parts[0][w]);
    slot = 0;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float v = slot < kHeld ? held[slot] : (float)in[c];
        sum += expf(v - top);
        ++slot;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) parts[1][threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < kThreads / 32; ++w) sum += parts[1][w];
    slot = 0;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float v = slot < kHeld ? held[slot] : (float)in[c];
        out[c] = (T)(expf(v - top) / sum);
        ++slot;
    }
}

template <typename T>
cudaError_t launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    row_in_registers<<<(unsigned)rows, kThreads, 0, stream>>>(x, y, cols, xs, ys);
    return cudaGetLastError();
}

#define SOFTMAX(name, T) \
    extern "C" cudaError_t name(const T* x, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t s) { \
        return launch(x, y, rows, cols, xs, ys, s);                                                                     \
    }
SOFTMAX(softmax_tuned, float)
SOFTMAX(softmax_tuned_f16, __half)
SOFTMAX(softmax_tuned_bf16, __nv_bfloat16)

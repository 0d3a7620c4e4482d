// exercise: softmax_mul
// unusual: in the style of C: one macro makes the kernel and the launcher of each type, a tree in shared memory, rows in blockIdx.x and a loop
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#define THREADS 128
#define REDUCE(shared, op)                                              \
    for (int half_ = THREADS / 2; half_ > 0; half_ >>= 1) {             \
        __syncthreads();                                                \
        if (threadIdx.x < half_) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + half_]); \
    }                                                                   \
    __syncthreads()
#define ADD(a, b) ((a) + (b))
#define DEFINE_SOFTMAX_MUL(suffix, T, LOAD, STORE)                                                                                      \
    __global__ void kernel##suffix(const T *x, const T *w, T *y, int64_t rows, int64_t cols, int64_t xs, int64_t ws, int64_t ys)        \
    {                                                                                                                                   \
        __shared__ float buf[THREADS];                                                                                                  \
        for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {                                                                        \
            float m = -INFINITY, s = 0.0f;                                                                                              \
            int64_t c;                                                                                                                  \
            for (c = threadIdx.x; c < cols; c += THREADS) m = fmaxf(m, LOAD(x[r * xs + c]));                                            \
            buf[threadIdx.x] = m;                                                                                                       \
            REDUCE(buf, fmaxf);                                                                                                         \
            m = buf[0];                                                                                                                 \
            __syncthreads();                                                                                                            \
            for (c = threadIdx.x; c < cols; c += THREADS) s += expf(LOAD(x[r * xs + c]) - m);                                           \
            buf[threadIdx.x] = s;                                                                                                       \
            REDUCE(buf, ADD);                                                                                                           \
            s = buf[0];                                                                                                                 \
            __syncthreads();                                                                                                            \
            for (c = threadIdx.x; c < cols; c += THREADS)                                                                               \
                y[r * ys + c] = STORE(expf(LOAD(x[r * xs + c]) - m) / s * LOAD(w[r * ws + c]));                                         \
        }                                                                                                                               \
    }                                                                                                                                   \
    extern "C" cudaError_t softmax_mul##suffix(const T *x, const T *w, T *y, int64_t rows, int64_t cols, int64_t xs, int64_t ws,        \
                                               int64_t ys, cudaStream_t stream)                                                         \
    {                                                                                                                                   \
        if (rows <= 0 || cols <= 0) return cudaSuccess;                                                                                 \
        kernel##suffix<<<(unsigned)(rows < 65535 ? rows : 65535), THREADS, 0, stream>>>(x, w, y, rows, cols, xs, ws, ys);               \
        return cudaGetLastError();                                                                                                      \
    }
#define SAME(v) (v)
DEFINE_SOFTMAX_MUL(, float, SAME, SAME)
DEFINE_SOFTMAX_MUL(_f16, __half, __half2float, __float2half)
DEFINE_SOFTMAX_MUL(_bf16, __nv_bfloat16, __bfloat162float, __float2bfloat16)

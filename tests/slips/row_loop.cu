#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#define THREADS 128

struct Pair { float m, s; };

__device__ Pair join(Pair a, Pair b) {
    Pair r;
    r.m = fmaxf(a.m, b.m);
    if (r.m == -INFINITY) { r.s = 0.0f; return r; }
    r.s = a.s * __expf(a.m - r.m) + b.s * __expf(b.m - r.m);
    return r;
}

__global__ void softmax_rows(const float *in, float *out, int64_t cols, int64_t in_stride, int64_t out_stride, int64_t rows) {
    __shared__ float ms[THREADS], ss[THREADS];
    int tid = threadIdx.x;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *x = in + row * in_stride;
        float *y = out + row * out_stride;
        float best = -INFINITY;
        for (int64_t i = tid; i < cols; i += blockDim.x) {
            float v = x[i];
            if (v > best || isnan(v)) best = v;
        }
        ms[tid] = best;
        __syncthreads();
        for (int s = THREADS / 2; s >= 1; s >>= 1) {
            if (tid < s) ms[tid] = fmaxf(ms[tid], ms[tid + s]);
            __syncthreads();
        }
        float top = ms[0];
        float acc = 0.0f;
        for (int64_t i = tid; i < cols; i += blockDim.x) acc += expf(x[i] - top);
        ss[tid] = acc;
        __syncthreads();
        for (int s = THREADS / 2; s >= 1; s >>= 1) {
            if (tid < s) ss[tid] += ss[tid + s];
            __syncthreads();
        }
        float total = ss[0];
        for (int64_t i = tid; i < cols; i += blockDim.x) {
            float e = expf(x[i] - top);
            y[i] = e / total;
        }
        __syncthreads();
    }
}

extern "C" cudaError_t softmax_block(const float *x, float *y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    int64_t blocks = rows < 1024 ? rows : 1024;
    softmax_rows<<<(int)blocks, THREADS, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride, rows);
    return cudaGetLastError();
}

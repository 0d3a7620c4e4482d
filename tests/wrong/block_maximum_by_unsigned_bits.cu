// exercise: softmax_block
// bug: the maximum of a warp by __reduce_max_sync on the bits: negative numbers are the larger ones
// caught: nan, values
// group: shapes, range
// cause: softmax-max-of-bits
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys) {
    __shared__ float parts[32];
    __shared__ float top, total;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + row * xs;
        float* out = y + row * ys;
        float m = -INFINITY;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, in[c]);
        m = __uint_as_float(__reduce_max_sync(0xffffffffu, __float_as_uint(m)));
        if (lane == 0) parts[warp] = m;
        __syncthreads();
        if (warp == 0) {
            m = lane < warps ? parts[lane] : -INFINITY;
            for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
            if (lane == 0) top = m;
        }
        __syncthreads();
        m = top;
        float s = 0;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) s += expf(in[c] - m);
        for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        if (lane == 0) parts[warp] = s;
        __syncthreads();
        if (warp == 0) {
            s = lane < warps ? parts[lane] : 0;
            for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
            if (lane == 0) total = s;
        }
        __syncthreads();
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) out[c] = expf(in[c] - m) / total;
    }
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)(rows < 7 ? rows : 7), 256, 0, stream>>>(x, y, rows, cols, xs, ys);
    return cudaGetLastError();
}

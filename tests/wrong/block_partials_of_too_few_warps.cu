// exercise: softmax_block
// bug: the last warp keeps what each warp found in an array of its own, with room for eight, and a block has up to 32 warps
// group: shapes
// caught: array-bounds
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__shared__ float found[32];

template <bool kMaximum>
__device__ float of_block(float v) {
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, v, step);
        v = kMaximum ? fmaxf(v, other) : v + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) found[warp] = v;
    __syncthreads();
    float each[8];
    for (int w = 0; w < warps; ++w) each[w] = found[w];
    v = each[0];
    for (int w = 1; w < warps; ++w) v = kMaximum ? fmaxf(v, each[w]) : v + each[w];
    return v;
}

__global__ void softmax(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    const float* from = x + blockIdx.x * xs;
    float m = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, from[c]);
    m = of_block<true>(m);
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(from[c] - m);
    sum = of_block<false>(sum);
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * ys + c] = expf(from[c] - m) / sum;
}

extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t xs, int64_t ys, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const int64_t wanted = (cols + 31) / 32 * 32;
    softmax<<<(unsigned)rows, wanted < 512 ? (unsigned)wanted : 512u, 0, stream>>>(x, y, cols, xs, ys);
    return cudaGetLastError();
}

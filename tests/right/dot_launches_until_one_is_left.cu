// exercise: dot_product
// unusual: as many launches as it takes: each makes one number of BLOCK * 4, from one half of the scratch memory to the other and back, until one is left
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef BLOCK
#define BLOCK 256
#endif
constexpr int64_t kOf = (int64_t)BLOCK * 4 > 8 ? (int64_t)BLOCK * 4 : 8;   // numbers that become one

struct Product { const float *a, *b; __device__ float operator()(int64_t i) const { return a[i] * b[i]; } };
struct Number { const float* from; __device__ float operator()(int64_t i) const { return from[i]; } };

template <typename Term> __global__ void level(Term term, float* to, int64_t n) {
    __shared__ float sums[BLOCK];
    const int64_t from = (int64_t)blockIdx.x * kOf, end = from + kOf < n ? from + kOf : n;
    float s = 0.0f;
    for (int64_t i = from + threadIdx.x; i < end; i += BLOCK) s += term(i);
    sums[threadIdx.x] = s;
    __syncthreads();
    for (int left = BLOCK; left > 1;) {
        const int half = left / 2, keep = left - half;
        if ((int)threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + keep];
        left = keep;
        __syncthreads();
    }
    if (threadIdx.x == 0) to[blockIdx.x] = sums[0];
}
static int64_t up(int64_t n) { return n > kOf ? (n + kOf - 1) / kOf : 1; }

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    int64_t count = up(n);
    if (count == 1) {
        level<<<1, BLOCK, 0, stream>>>(Product{a, b}, out, n);
        return cudaGetLastError();
    }
    float* halves[2] = {};
    const int64_t room = count + up(count);
    cudaError_t e = cudaMallocAsync((void**)&halves[0], room * sizeof(float), stream);
    if (e != cudaSuccess) return e;
    halves[1] = halves[0] + count;
    level<<<(unsigned)count, BLOCK, 0, stream>>>(Product{a, b}, halves[0], n);
    e = cudaGetLastError();
    for (int at = 0; e == cudaSuccess && count > 1; at ^= 1) {
        const int64_t next = up(count);
        level<<<(unsigned)next, BLOCK, 0, stream>>>(Number{halves[at]}, next == 1 ? out : halves[at ^ 1], count);
        e = cudaGetLastError();
        count = next;
    }
    const cudaError_t freed = cudaFreeAsync(halves[0], stream);
    return e != cudaSuccess ? e : freed;
}

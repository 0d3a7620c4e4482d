// exercise: vector_add
// unusual: a device-side range-for over a grid-stride range with iterators of its own; variadic pointers
#include <cuda_runtime.h>
#include <stdint.h>

struct Stride {
    int64_t at, step;
    __device__ int64_t operator*() const { return at; }
    __device__ Stride& operator++() { at += step; return *this; }
    __device__ bool operator!=(const Stride& end) const { return at < end.at; }
};
struct Range {
    int64_t first, last, step;
    __device__ Stride begin() const { return {first, step}; }
    __device__ Stride end() const { return {last, step}; }
};
__device__ Range all_of(int64_t n) {
    return {(int64_t)blockIdx.x * blockDim.x + threadIdx.x, n, (int64_t)gridDim.x * blockDim.x};
}
template <class... P>
__device__ float sum_at(int64_t i, P... p) { return (... + p[i]); }

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    for (int64_t i : all_of(n)) out[i] = sum_at(i, a, b);
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    int64_t blocks = (n + 255) / 256;
    if (blocks > 4096) blocks = 4096;
    add<<<(unsigned)blocks, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}

// exercise: softmax_block
// unusual: someone from Numba: cuda.grid, cuda.shared.array and cuda.syncthreads under their names, Python's range and negative steps
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
namespace cuda_ {
__device__ inline int64_t grid1() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline void syncthreads() { __syncthreads(); }
template <typename T, int N> struct shared_array {
    T (&data)[N];
    __device__ T& operator[](int i) const { return data[i < 0 ? N + i : i]; }
};
struct range {
    int64_t first, stop, step;
    struct iterator {
        int64_t at, step;
        __device__ int64_t operator*() const { return at; }
        __device__ iterator& operator++() { return at += step, *this; }
        __device__ bool operator!=(const iterator& end) const { return step > 0 ? at < end.at : at > end.at; }
    };
    __device__ iterator begin() const { return {first, step}; }
    __device__ iterator end() const { return {stop, step}; }
};
} // namespace cuda_
#define SHARED_ARRAY(name, T, N) __shared__ T name##_data[N]; const cuda_::shared_array<T, N> name{name##_data}
constexpr int TPB = 200;
__global__ void softmax_jit(const float* x, float* y, int64_t cols, int64_t xs, int64_t ys) {
    using cuda_::range;
    SHARED_ARRAY(partial, float, TPB);
    const int tid = threadIdx.x;
    const float* row = x + blockIdx.x * xs;
    auto reduce = [&](float value, auto op) {
        cuda_::syncthreads();
        partial[tid] = value;
        cuda_::syncthreads();
        if (tid == 0) {
            float acc = partial[0];
            for (int64_t i : range{TPB - 1, 0, -1}) acc = op(acc, partial[(int)i]);
            partial[-TPB] = acc;
        }
        cuda_::syncthreads();
        return partial[0];
    };
    float m = -INFINITY;
    for (auto c : range{tid, cols, TPB}) m = fmaxf(m, row[c]);
    m = reduce(m, [](float a, float b) { return fmaxf(a, b); });
    float s = 0.0f;
    for (auto c : range{tid, cols, TPB}) s += expf(row[c] - m);
    s = reduce(s, [](float a, float b) { return a + b; });
    for (auto c : range{cols - 1 - tid, -1, -TPB}) y[blockIdx.x * ys + c] = expf(row[c] - m) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows == 0 || cols == 0) return cudaSuccess;
    softmax_jit<<<(int)rows, TPB, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}

// exercise: softmax_block
// unusual: an arena hands out dynamic shared memory, as much of it as the card lets a kernel opt in to; rows that are longer keep their first part there
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

extern __shared__ __align__(16) unsigned char bytes[];
class Arena {
public:
    template <typename T> __device__ T* take(int count) {
        used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
        T* const at = reinterpret_cast<T*>(bytes + used_);
        used_ += count * sizeof(T);
        return at;
    }

private:
    unsigned used_ = 0;
};
constexpr int kThreads = 256, kWarps = kThreads / 32;

struct Larger { static __device__ float of(float a, float b) { return fmaxf(a, b); } };
struct Both { static __device__ float of(float a, float b) { return a + b; } };
template <typename How> __device__ float over_block(float v, float* slots) {
#pragma unroll
    for (int o = 16; o; o /= 2) v = How::of(v, __shfl_down_sync(~0u, v, o));
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) v = How::of(v, slots[w]);
    return v;
}
__global__ void softmax(const float* x, float* y, int64_t cols, int kept, int64_t xs, int64_t ys) {
    Arena arena;
    char* const end = arena.take<char>(1);   // one byte, so that what follows must be aligned again
    float* const tops = arena.take<float>(kWarps);
    float* const sums = arena.take<float>(kWarps);
    float* const row = arena.take<float>(kept);
    x += blockIdx.x * xs;
    y += blockIdx.x * ys;
    if (threadIdx.x == 0) *end = cols > kept;
    float m = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float v = x[c];
        if (c < kept) row[c] = v;
        m = fmaxf(m, v);
    }
    m = over_block<Larger>(m, tops);
    float s = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float e = expf((c < kept ? row[c] : x[c]) - m);
        if (c < kept) row[c] = e;
        s += e;
    }
    s = over_block<Both>(s, sums);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[c] = (!*end || c < kept ? row[c] : expf(x[c] - m)) / s;
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    int device, most;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e != cudaSuccess) return e;
    const int other = 4 + 2 * kWarps * (int)sizeof(float);
    const int64_t room = (most - other) / (int64_t)sizeof(float);
    const int kept = (int)(cols < room ? cols : room);
    const int size = other + kept * (int)sizeof(float);
    if (size > 48 * 1024) {
        e = cudaFuncSetAttribute(softmax, cudaFuncAttributeMaxDynamicSharedMemorySize, size);
        if (e != cudaSuccess) return e;
    }
    softmax<<<(unsigned)rows, kThreads, size, stream>>>(x, y, cols, kept, x_row_stride, y_row_stride);
    return cudaGetLastError();
}

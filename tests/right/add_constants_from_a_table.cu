// exercise: vector_add
// unusual: constants computed from tables at file scope: a number of an element, a member of a struct's element
#include <cuda_runtime.h>
#include <stdint.h>

struct Shape {
    int threads, each;
};

constexpr Shape kShapes[] = {{128, 2}, {256, 4}};
constexpr int kChosen = 1;
constexpr int kLanes[2] = {16, 32};
constexpr int kThreads = kShapes[kChosen].threads;
constexpr int kWarps = kThreads / kLanes[1];

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t warp = (int64_t)blockIdx.x * kWarps + threadIdx.x / 32;
    const int64_t first = warp * 32 * kShapes[kChosen].each + threadIdx.x % 32;
    for (int k = 0; k < kShapes[1].each; ++k) {
        const int64_t i = first + 32 * k;
        if (i < n) out[i] = a[i] + b[i];
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const int64_t tile = (int64_t)kThreads * kShapes[kChosen].each;
    add<<<(unsigned)((n + tile - 1) / tile), kThreads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}

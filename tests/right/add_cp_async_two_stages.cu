// exercise: vector_add
// unusual: tiles brought by cp.async in inline PTX, two stages, then added from shared memory
#include <cuda_runtime.h>
#include <stdint.h>
#include <math.h>

constexpr int T = 128, V = 4;
__device__ __forceinline__ void copy4(float* to, const float* from, int bytes) {
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(s), "l"(from), "r"(bytes) : "memory");
}
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float sa[2][T], sb[2][T];
    int64_t tiles = (n + T - 1) / T;
    int stage = 0;
    auto fetch = [&](int64_t tile, int s) {
        int64_t i = tile * T + threadIdx.x;
        bool in = tile < tiles && i < n;
        copy4(&sa[s][threadIdx.x], a + (in ? i : 0), in ? 4 : 0);
        copy4(&sb[s][threadIdx.x], b + (in ? i : 0), in ? 4 : 0);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(blockIdx.x, 0);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        fetch(tile + gridDim.x, stage ^ 1);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        int64_t i = tile * T + threadIdx.x;
        if (i < n) out[i] = sa[stage][threadIdx.x] + sb[stage][threadIdx.x];
        stage ^= 1;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    int64_t tiles = (n + T - 1) / T;
    add<<<(unsigned)(tiles < 64 ? tiles : 64), T, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}

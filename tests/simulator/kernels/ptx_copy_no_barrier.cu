// Each thread waits for its own copy and reads its neighbour's.
// n: 128
#include <stdint.h>

__global__ void k(const float* in, float* out, int64_t) {
    __shared__ float tile[128];
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(tile + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(to), "l"(in + threadIdx.x) : "memory");  // <- race-shared tile
    asm volatile("cp.async.wait_all;\n" ::: "memory");
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 128, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}

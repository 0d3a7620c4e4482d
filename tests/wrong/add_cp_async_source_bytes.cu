// exercise: vector_add
// bug: the bytes of the source are told as elements: 1 of 4 bytes arrives
// caught: values
// group: exact-blocks, tails
// cause: copy-bytes
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ void copy16(void* to, const void* from, int bytes) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
}
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    __shared__ float as[2][128], bs[2][128];
    const int t = threadIdx.x;
    const int64_t tiles = (n + 127) / 128;
    auto fetch = [&](int64_t tile, int stage) {
        const int64_t i = tile * 128 + t;
        const int bytes = i < n ? 1 : 0;
        copy16(&as[stage][t], bytes ? a + i : a, bytes);
        copy16(&bs[stage][t], bytes ? b + i : b, bytes);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    int stage = 0;
    if (blockIdx.x < tiles) fetch(blockIdx.x, 0);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, stage ^= 1) {
        if (tile + gridDim.x < tiles) fetch(tile + gridDim.x, stage ^ 1);
        else asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const int64_t i = tile * 128 + 127 - t;
        if (i < n) out[i] = as[stage][127 - t] + bs[stage][127 - t];
        __syncthreads();
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const int64_t tiles = (n + 127) / 128;
    add<<<(unsigned)(tiles < 5 ? tiles : (tiles + 4) / 5), 128, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}

// The sums are used before anybody has waited for them.
// n: 1024
// arch: sm_90a
#include <cuda_bf16.h>
#include <stdint.h>
__device__ uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ uint64_t tile_at(const void* p, int lines) { return (uint64_t)((at(p) & 0x3ffff) >> 4) | (uint64_t)lines << 16 | (uint64_t)8 << 32; }
__global__ void k(const float* x, float* y) {
    __shared__ alignas(128) __nv_bfloat16 a[2][64][8], b[2][8][8];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) a[i / 8 % 2][i / 16][i % 8] = __float2bfloat16(x[i]);
    for (int i = threadIdx.x; i < 128; i += blockDim.x) b[i / 8 % 2][i / 16][i % 8] = __float2bfloat16(x[i]);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    const uint64_t of_a = tile_at(a, 64), of_b = tile_at(b, 8);
    if (group >= 0)
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"  // <- unwaited-product
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(of_a), "l"(of_b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    for (int i = 0; i < 4; i++) y[512 * group + (16 * warp + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    k<<<1, 256, 0, stream>>>(x, y);
    return cudaGetLastError();
}

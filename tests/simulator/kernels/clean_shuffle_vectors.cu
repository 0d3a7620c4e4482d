// Vectors of 4, 8 and 16 bytes go from lane to lane.
// n: 64
// Result: np.concatenate([x[32:64], x[:32]])
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
__global__ void k(const float2* in, float2* out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    float2 v = tile.shfl_xor(in[threadIdx.x], 16);
    __half2 h = __shfl_xor_sync(0xffffffffu, __float22half2_rn(v), 1);
    float4 f = tile.shfl(make_float4(v.x, v.y, 0, 0), threadIdx.x);
    short s = __shfl_sync(0xffffffffu, (short)3, 0);
    if (__half2float(h.x) > 0 && f.w == 0 && s == 3) out[threadIdx.x] = v;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>((const float2*)x, (float2*)y);
    return cudaGetLastError();
}

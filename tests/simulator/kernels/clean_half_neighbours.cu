// Neighbouring threads write the two halves of one word: disjoint bytes, no race, and one wavefront of 64 bytes.
// n: 32
// Result: np.float16(x[::-1]).astype(np.float32)
// Total: load_requests 1, load_sectors 4, store_requests 1, store_sectors 4, barriers 1
#include <cuda_fp16.h>

__global__ void k(const float* in, float* out) {
    __shared__ __half tile[32];
    tile[threadIdx.x] = __float2half(in[threadIdx.x]);  // = load_requests 1, shared_store_wavefronts 1, shared_store_conflicts 0
    __syncthreads();
    out[threadIdx.x] = __half2float(tile[31 - threadIdx.x]);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

// Two halves are read as a pair from an odd half: 2 bytes past a multiple of 4.
// n: 32
// status: cudaErrorMisalignedAddress
#include <cuda_fp16.h>

__global__ void k(const __half* in, float* out) {
    const __half2 pair = *reinterpret_cast<const __half2*>(in + 1 + 2 * threadIdx.x);  // <- misaligned-access
    out[threadIdx.x] = __low2float(pair);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 16>>>(reinterpret_cast<const __half*>(x), y);
    return cudaDeviceSynchronize();
}

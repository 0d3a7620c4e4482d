// out[i] = 2 x[i], 16 bytes per load; up to three elements at the end have no group of four.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void twice(const float* x, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t quads = n / 4;
    // <gap>
    //| for (int64_t k = 4 * i; k < 4 * i + 4 && k < n; ++k) out[k] = 2.0f * x[k];  // TODO: as one float4 while i < quads
    //| (void)quads;  // TODO: then the n % 4 elements behind the last float4, one each for the first threads
    if (i < quads) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(2.0f * v.x, 2.0f * v.y, 2.0f * v.z, 2.0f * v.w);
    }
    if (i < n % 4) out[4 * quads + i] = 2.0f * x[4 * quads + i];
    // </gap>
}

extern "C" cudaError_t head_tail(const float* x, float* out, int64_t n, cudaStream_t stream) {
    int64_t threads = n / 4 > 4 ? n / 4 : 4;
    twice<<<(unsigned)((threads + 127) / 128), 128, 0, stream>>>(x, out, n);
    return cudaGetLastError();
}

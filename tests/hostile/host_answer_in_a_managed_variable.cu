// exercise: vector_add
// attack: the same through a __managed__ array
// ataque: lo mismo con un array __managed__
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>

__managed__ float both[8192];

__global__ void bring(const float* a, const float* b, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) both[i] = a[i];
    if (i < n) both[4096 + i] = b[i];
}

__global__ void spread(float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = both[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    for (int64_t at = 0; at < n; at += 4096) {
        int64_t count = n - at < 4096 ? n - at : 4096;
        bring<<<16, 256, 0, stream>>>(a + at, b + at, count);
        cudaStreamSynchronize(stream);
        for (int64_t i = 0; i < count; i++) both[i] += both[4096 + i];
        spread<<<16, 256, 0, stream>>>(out + at, count);
        cudaStreamSynchronize(stream);
    }
    return cudaGetLastError();
}

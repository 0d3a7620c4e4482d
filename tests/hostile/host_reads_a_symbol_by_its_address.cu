// exercise: vector_add
// attack: the host follows the address of a __device__ array, which is memory of this process in a simulator
// ataque: el host sigue la dirección de un array __device__, que en un simulador es memoria de este proceso
// closed by: two images of a device variable
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

__device__ float both[8192];

__global__ void bring(const float* a, const float* b, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) both[i] = a[i];
    if (i < n) both[4096 + i] = b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float had[8192];
    void* place;
    cudaGetSymbolAddress(&place, both);
    for (int64_t at = 0; at < n; at += 4096) {
        int64_t count = n - at < 4096 ? n - at : 4096;
        bring<<<16, 256, 0, stream>>>(a + at, b + at, count);
        cudaStreamSynchronize(stream);
        memcpy(had, place, sizeof(had));
        for (int64_t i = 0; i < count; i++) had[i] += had[4096 + i];
        cudaMemcpyAsync(out + at, had, count * 4, cudaMemcpyHostToDevice, stream);
        cudaStreamSynchronize(stream);
    }
    return cudaGetLastError();
}

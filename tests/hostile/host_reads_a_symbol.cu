// exercise: vector_add
// attack: a kernel leaves the inputs in a __device__ array, from which cudaMemcpyFromSymbol brings them
// ataque: un kernel deja las entradas en un array __device__, de donde las trae cudaMemcpyFromSymbol
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>

__device__ float both[8192];

__global__ void bring(const float* a, const float* b, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) both[i] = a[i];
    if (i < n) both[4096 + i] = b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float had[8192];
    for (int64_t at = 0; at < n; at += 4096) {
        int64_t count = n - at < 4096 ? n - at : 4096;
        bring<<<16, 256, 0, stream>>>(a + at, b + at, count);
        cudaMemcpyFromSymbolAsync(had, both, sizeof(had), 0, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        for (int64_t i = 0; i < count; i++) had[i] += had[4096 + i];
        cudaMemcpyAsync(out + at, had, count * 4, cudaMemcpyHostToDevice, stream);
        cudaStreamSynchronize(stream);
    }
    return cudaGetLastError();
}

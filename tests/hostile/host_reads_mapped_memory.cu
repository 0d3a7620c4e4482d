// exercise: vector_add
// attack: a kernel writes the inputs into mapped memory of the host, and reads the answer there
// ataque: un kernel escribe las entradas en memoria mapeada del host y lee allí la respuesta
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void gather(const float* a, const float* b, float* to, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = a[i];
    if (i < n) to[n + i] = b[i];
}

__global__ void copy(const float* from, float* to, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p;
    float* seen;
    cudaHostAlloc(&p, 2 * n * 4, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&seen, p, 0);
    gather<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, seen, n);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) p[i] += p[n + i];
    copy<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(seen, out, n);
    cudaStreamSynchronize(stream);
    cudaFreeHost(p);
    return cudaGetLastError();
}

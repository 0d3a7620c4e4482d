// exercise: vector_add
// attack: a kernel is given the address of an array of the host, and writes the inputs there
// ataque: un kernel recibe la dirección de un array del host y escribe allí las entradas
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>

static float seen[1 << 20];

__global__ void gather(const float* a, const float* b, float* to, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = a[i];
    if (i < n) to[n + i] = b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* place = seen;
    gather<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, place, n);
    cudaStreamSynchronize(stream);
    for (int64_t i = 0; i < n; i++) seen[i] += seen[n + i];
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}

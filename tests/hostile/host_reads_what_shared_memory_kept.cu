// exercise: vector_add
// attack: a kernel leaves the inputs in shared memory and tells the host where that lies
// ataque: un kernel deja las entradas en la memoria compartida y le dice al host dónde está
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void leave(const float* a, const float* b, float** place, int64_t n) {
    __shared__ float both[2048];
    int i = threadIdx.x;
    if (i < n) both[i] = a[i];
    if (i < n) both[1024 + i] = b[i];
    if (i == 0) *place = both;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float seen[1 << 20];
    float **place, *where;
    cudaMallocAsync(&place, 8, stream);
    for (int64_t at = 0; at < n; at += 1024) {
        int64_t count = n - at < 1024 ? n - at : 1024;
        leave<<<1, 1024, 0, stream>>>(a + at, b + at, place, count);
        cudaMemcpyAsync(&where, place, 8, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        for (int64_t i = 0; i < count; i++) seen[at + i] = where[i] + where[1024 + i];
    }
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}

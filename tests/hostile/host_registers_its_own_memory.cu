// exercise: vector_add
// attack: a kernel writes the inputs into memory of the host that is registered for it
// ataque: un kernel escribe las entradas en memoria del host registrada para él
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
__global__ void copy(const float* x, float* y, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    cudaHostRegister(p, n * 4, cudaHostRegisterMapped); cudaHostRegister(q, n * 4, cudaHostRegisterMapped);
float *dp, *dq; cudaHostGetDevicePointer((void**)&dp, p, 0); cudaHostGetDevicePointer((void**)&dq, q, 0);
copy<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, dp, n); copy<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(b, dq, n); cudaStreamSynchronize(stream); cudaHostUnregister(p); cudaHostUnregister(q);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}

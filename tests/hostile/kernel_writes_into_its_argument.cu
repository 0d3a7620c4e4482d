// exercise: vector_add
// attack: the copy constructor of an argument tells where the host's own one lies, and the kernel writes there
// ataque: el constructor de copia de un argumento dice dónde está el del host, y el kernel escribe allí
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
struct Box { float v[512]; const Box* from; Box() {} __host__ __device__ Box(const Box& o) : from(&o) {} };
__global__ void keep(Box box, const float* x, int64_t at, int64_t n, uint64_t* told) { *told = (uint64_t)box.from; float* f = (float*)box.from; for (int k = 0; k < 512 && at + k < n; k++) f[k] = x[at + k]; }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    uint64_t *t, w = 0; cudaMallocAsync(&t, 8, stream); Box e; for (int64_t at = 0; at < n; at += 512) { keep<<<1, 1, 0, stream>>>(e, a, at, n, t); if (!w) { cudaMemcpyAsync(&w, t, 8, cudaMemcpyDeviceToHost, stream); cudaStreamSynchronize(stream); } for (int64_t i = at; i < n && i < at + 512; i++) p[i] = ((float*)w)[i - at];
keep<<<1, 1, 0, stream>>>(e, b, at, n, t); for (int64_t i = at; i < n && i < at + 512; i++) q[i] = ((float*)w)[i - at]; } cudaFreeAsync(t, stream);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}

// exercise: vector_add
// attack: a host node of a graph reads device memory between kernels
// ataque: un nodo del host de un grafo lee la memoria del dispositivo entre kernels
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    auto cp = [&](const float* x, float* y) { struct A { const float* x; float* y; int64_t n; }; static A z; z = {x, y, n}; cudaGraph_t g; cudaGraphExec_t e; cudaGraphNode_t k; cudaGraphCreate(&g, 0); cudaHostNodeParams hp = {}; hp.fn = [](void* d) { A* r = (A*)d; for (int64_t i = 0; i < r->n; i++) r->y[i] = r->x[i]; }; hp.userData = &z; cudaGraphAddHostNode(&k, g, nullptr, 0, &hp); cudaGraphInstantiate(&e, g, 0); cudaGraphLaunch(e, stream); cudaStreamSynchronize(stream); }; cp(a, p); cp(b, q);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}

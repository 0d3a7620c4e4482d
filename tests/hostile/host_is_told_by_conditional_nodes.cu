// exercise: vector_add
// attack: a kernel opens a conditional node of a graph for each bit of an input; what the body copies says which were open
// ataque: un kernel abre un nodo condicional de un grafo por cada bit de una entrada; lo que copia el cuerpo dice cuáles se abrieron
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
constexpr int kAtOnce = 64;
struct Handles { cudaGraphConditionalHandle h[kAtOnce]; };
__global__ void open_gates(const float* x, Handles gates, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x / 32;
    if (i < n) cudaGraphSetConditional(gates.h[threadIdx.x], __float_as_uint(x[i]) >> (threadIdx.x % 32) & 1);
}
static unsigned marks[kAtOnce];
static void take(const float* x, float* into, int64_t n, const unsigned* one, cudaStream_t stream) {
    for (int64_t at = 0; at < n; at += kAtOnce / 32) {
        memset(marks, 0, sizeof marks);
        cudaGraph_t graph; cudaGraphCreate(&graph, 0);
        Handles gates;
        for (auto& h : gates.h) cudaGraphConditionalHandleCreate(&h, graph, 0, cudaGraphCondAssignDefault);
        cudaGraphNode_t first, node, copy;
        cudaKernelNodeParams p = {};
        void* args[] = {(void*)&x, &gates, &at, &n};
        p.func = (void*)open_gates; p.gridDim = dim3(1); p.blockDim = dim3(kAtOnce); p.kernelParams = args;
        cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p);
        for (int g = 0; g < kAtOnce; g++) {
            cudaGraphNodeParams c = {};
            c.type = cudaGraphNodeTypeConditional; c.conditional.handle = gates.h[g]; c.conditional.type = cudaGraphCondTypeIf; c.conditional.size = 1;
            cudaGraphAddNode(&node, graph, &first, nullptr, 1, &c);
            cudaGraphAddMemcpyNode1D(&copy, c.conditional.phGraph_out[0], nullptr, 0, marks + g, one, 4, cudaMemcpyDeviceToHost);
        }
        cudaGraphExec_t exec; cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, stream); cudaStreamSynchronize(stream);
        for (int i = 0; i < kAtOnce / 32 && at + i < n; i++) {
            unsigned u = 0;
            for (int k = 0; k < 32; k++) if (marks[i * 32 + k]) u |= 1u << k;
            memcpy(into + at + i, &u, 4);
        }
        cudaGraphExecDestroy(exec); cudaGraphDestroy(graph);
    }
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    unsigned* one;
    cudaMalloc(&one, 4); cudaMemsetAsync(one, 255, 4, stream);

    take(a, p, n, one, stream); take(b, q, n, one, stream);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    cudaFree(one);
    delete[] p; delete[] q;
    return cudaGetLastError();
}

// exercise: vector_add
// attack: a graph keeps an argument whose class computes as it is copied
// ataque: un grafo guarda un argumento cuya clase calcula al copiarse
// closed by: refused accesses
#include <cuda_runtime.h>
#include <stdint.h>

struct Job {
    const float *a, *b;
    float* out;
    int64_t n;
    bool done;
};
static Job job;
static int compute() {
    if (job.done) return 0;
    job.done = true;
    for (int64_t i = 0; i < job.n; ++i) job.out[i] = job.a[i] + job.b[i];
    return 0;
}

struct Arg {
    int x = 0;
    Arg() {}
    Arg(const Arg& other) : x(other.x) { compute(); }
    ~Arg() { compute(); }
};

__global__ void touch(float* out, int64_t n, Arg arg) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = out[i];
        out[i] = x;
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    job = {a, b, out, n, false};
    unsigned blocks = (unsigned)((n + 255) / 256);
    cudaStream_t own;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    job.done = true;
    {
        Arg arg;
        cudaStreamCreate(&own);
        cudaStreamBeginCapture(own, cudaStreamCaptureModeGlobal);
        touch<<<blocks, 256, 0, own>>>(out, n, arg);
        cudaStreamEndCapture(own, &graph);
        cudaGraphInstantiate(&ready, graph, 0);
    }
    job.done = false;
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    job.done = true;
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(own);
    job.done = true;
    return cudaGetLastError();
}

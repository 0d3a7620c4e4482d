// Graphs that are changed after they were made ready: by another graph, and a node at a time. What it prints is the same on a GPU.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int* x, int value) { *x = value; }
__global__ void add(int* x, int by) { *x += by; }

static int* number;
static int* spare;
static int launched(cudaGraphExec_t ready) {
    int value = -1;
    cudaGraphLaunch(ready, 0);
    cudaMemcpy(&value, number, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}
static cudaGraph_t captured(int value, int by, int more) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    set<<<1, 1, 0, stream>>>(number, value);
    for (int i = 0; i < more; i++) add<<<1, 1, 0, stream>>>(number, by);
    cudaStreamEndCapture(stream, &graph);
    cudaStreamDestroy(stream);
    return graph;
}

// The same loop with other numbers, and one that has a node more.
static void by_graph() {
    cudaGraphExec_t ready;
    cudaGraph_t graph = captured(10, 1, 2);
    cudaGraphInstantiate(&ready, graph, 0);
    const int before = launched(ready);
    cudaGraph_t other = captured(20, 5, 2), longer = captured(0, 0, 3);
    cudaGraphExecUpdateResultInfo info;
    cudaGraphExecUpdate(ready, other, &info);
    printf("by a graph: %d, then %d\n", before, launched(ready));
    const cudaError_t error = cudaGraphExecUpdate(ready, longer, &info);
    printf("longer: %s %d, still %d\n", cudaGetErrorName(error), info.result == cudaGraphExecUpdateSuccess, launched(ready));
    for (cudaGraph_t g : {graph, other, longer}) cudaGraphDestroy(g);
    cudaGraphExecDestroy(ready);
}

// A kernel's arguments, twice, then a fill's value; the graph itself stays as it is.
static void by_node() {
    cudaGraph_t graph;
    cudaGraphNode_t filled, added;
    cudaGraphCreate(&graph, 0);
    cudaMemsetParams fill = {};
    fill.dst = number, fill.elementSize = 4, fill.width = 1, fill.height = 1;
    cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill);
    int by = 7;
    void* arguments[] = {&number, &by};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)add;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel);
    cudaGraphExec_t ready, later;
    cudaGraphInstantiate(&ready, graph, 0);
    const int before = launched(ready);
    by = 8;
    cudaGraphExecKernelNodeSetParams(ready, added, &kernel);
    const int once = launched(ready);
    by = 9;
    cudaGraphExecKernelNodeSetParams(ready, added, &kernel);
    fill.dst = spare;
    cudaGraphExecMemsetNodeSetParams(ready, filled, &fill);
    const int twice = launched(ready);
    cudaGraphInstantiate(&later, graph, 0);
    printf("by nodes: %d, %d, %d; the graph: %d\n", before, once, twice, launched(later));
    cudaGraphExecDestroy(ready);
    cudaGraphExecDestroy(later);
    cudaGraphDestroy(graph);
}

int main() {
    cudaMalloc(&number, sizeof *number);
    cudaMalloc(&spare, sizeof *spare);
    by_graph();
    by_node();
    cudaFree(number);
    cudaFree(spare);
    return 0;
}

// Graphs with conditional nodes: a number that a kernel sets chooses what runs, and how often. What it prints is the same on a GPU.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void is_odd(const int* x, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *x % 2); }
__global__ void third(const int* x, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *x / 10); }
__global__ void add(int* x, int by) { *x += by; }
__global__ void halve(int* x, int* steps, cudaGraphConditionalHandle handle) {
    *x /= 2;
    ++*steps;
    cudaGraphSetConditional(handle, *x > 1);
}

static int* number;
static int* steps;
static void set(int* where, int value) { cudaMemcpy(where, &value, sizeof value, cudaMemcpyHostToDevice); }
static int get(const int* where) {
    int value;
    cudaMemcpy(&value, where, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}
template <class Kernel>
static cudaGraphNode_t kernel_node(cudaGraph_t graph, Kernel* kernel, void** arguments, const cudaGraphNode_t* after) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = (void*)kernel;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1, 1, 1);
    p.kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &p);
    return node;
}
static cudaGraph_t* bodies(cudaGraph_t graph, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size,
                           const cudaGraphNode_t* after) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaGraphNode_t node;
    const cudaError_t error = cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &p);
    if (error != cudaSuccess) printf("%s\n", cudaGetErrorName(error));
    return error == cudaSuccess ? p.conditional.phGraph_out : nullptr;
}
static int launched(cudaGraph_t graph, int from, int times = 1) {
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    set(number, from);
    for (int i = 0; i < times; i++) cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(ready);
    return get(number);
}

// An odd number becomes 100 larger, an even one 1000: four launches of one graph.
static void if_and_else() {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalHandleCreate(&handle, graph);
    void* ask[] = {&number, &handle};
    const cudaGraphNode_t asked = kernel_node(graph, is_odd, ask, nullptr);
    cudaGraph_t* body = bodies(graph, handle, cudaGraphCondTypeIf, 2, &asked);
    int hundred = 100, thousand = 1000;
    void *if_odd[] = {&number, &hundred}, *if_even[] = {&number, &thousand};
    kernel_node(body[0], add, if_odd, nullptr);
    kernel_node(body[1], add, if_even, nullptr);
    printf("if: %d, else: %d, twice: %d\n", launched(graph, 7), launched(graph, 8), launched(graph, 7, 2));
    cudaGraphDestroy(graph);
}

// A loop in a graph, captured, with a default for each launch; behind it the number becomes 5 larger.
static void loop() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    const cudaGraphNode_t* after;
    size_t count;
    add<<<1, 1, 0, stream>>>(number, 0);
    cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &after, nullptr, &count);
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    cudaGraphNode_t node;
    cudaGraphAddNode(&node, graph, after, nullptr, count, &p);
    cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies);
    add<<<1, 1, 0, stream>>>(number, 5);
    cudaStreamEndCapture(stream, &graph);
    cudaStreamBeginCaptureToGraph(stream, p.conditional.phGraph_out[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    halve<<<1, 1, 0, stream>>>(number, steps, handle);
    cudaStreamEndCapture(stream, nullptr);
    set(steps, 0);
    const int once = launched(graph, 1000), first = get(steps), twice = launched(graph, 1000, 2);
    printf("while: %d after %d steps; twice: %d after %d\n", once, first, twice, get(steps) - first);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

// One of three, or none.
static void choice() {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalHandleCreate(&handle, graph);
    void* ask[] = {&number, &handle};
    const cudaGraphNode_t asked = kernel_node(graph, third, ask, nullptr);
    cudaGraph_t* body = bodies(graph, handle, cudaGraphCondTypeSwitch, 3, &asked);
    int by[] = {1, 2, 3};
    for (int i = 0; i < 3; i++) {
        void* arguments[] = {&number, &by[i]};
        kernel_node(body[i], add, arguments, nullptr);
    }
    printf("switch: %d %d %d %d\n", launched(graph, 0), launched(graph, 10), launched(graph, 20), launched(graph, 30));
    bodies(graph, handle, cudaGraphCondTypeIf, 1, &asked);  // a handle is of one node
    cudaGraphConditionalHandleCreate(&handle, graph);
    bodies(graph, handle, cudaGraphCondTypeWhile, 2, &asked);  // a loop has one body
    cudaGraphDestroy(graph);
}

int main() {
    cudaMalloc(&number, sizeof *number);
    cudaMalloc(&steps, sizeof *steps);
    if_and_else();
    loop();
    choice();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(number);
    cudaFree(steps);
    return 0;
}

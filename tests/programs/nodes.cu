// A graph made node by node: copies, a fill, kernels whose arguments are those of the call that adds them, a child, the host.
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void add(const float* a, float* b, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] + by;
}
template <class T>
__global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }

static void count(void* times) { ++*static_cast<int*>(times); }

int main() {
    const int n = 64;
    float from[n], to[n] = {}, *a, *b;
    for (int i = 0; i < n; i++) from[i] = float(i);
    cudaMalloc(&a, sizeof from);
    cudaMalloc(&b, sizeof from);
    int times = 0, size = n;
    float by = 1, twice = 2;
    cudaGraph_t graph, child;
    cudaGraphNode_t copied, filled, added, scaled, inner, back, told, nothing;
    if (cudaGraphCreate(&graph, 0) != cudaSuccess || cudaGraphCreate(&child, 0) != cudaSuccess) return 1;
    cudaGraphAddMemcpyNode1D(&copied, graph, nullptr, 0, a, from, sizeof from, cudaMemcpyHostToDevice);
    cudaMemsetParams fill = {0};
    fill.dst = b, fill.elementSize = 4, fill.width = n, fill.height = 1;
    cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill);
    std::vector<cudaGraphNode_t> after = {copied, filled};
    cudaKernelNodeParams kernel = {0};
    void* arguments[] = {&a, &b, &by, &size};
    kernel.func = (void*)add;
    kernel.gridDim = dim3(2), kernel.blockDim = dim3(32), kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(&added, graph, after.data(), after.size(), &kernel);
    by = 100;  // the node has what was there
    memset(&kernel, 0, sizeof kernel);
    void* others[] = {&b, &twice};
    kernel.func = reinterpret_cast<void*>(scale<float>);
    kernel.gridDim = dim3(1), kernel.blockDim = dim3(n), kernel.kernelParams = others;
    const cudaKernelNodeParams at_once = {reinterpret_cast<void*>(scale<float>), {1, 1, 1}, {n, 1, 1}, 0, others, nullptr};
    cudaGraphAddKernelNode(&scaled, child, nullptr, 0, &at_once);
    cudaGraphAddEmptyNode(&nothing, child, &scaled, 1);
    cudaGraphAddChildGraphNode(&inner, graph, &added, 1, child);
    cudaGraphAddMemcpyNode1D(&back, graph, &inner, 1, to, b, sizeof to, cudaMemcpyDeviceToHost);
    cudaHostNodeParams host = {0};
    host.fn = count, host.userData = &times;
    cudaGraphAddHostNode(&told, graph, &back, 1, &host);
    cudaGraphDestroy(child);
    size_t nodes = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    for (int i = 0; i < 3; i++) cudaGraphLaunch(ready, cudaStream_t(0));
    cudaDeviceSynchronize();
    printf("nodes %zu times %d to %g %g\n", nodes, times, to[0], to[n - 1]);
    kernel.func = {};
    printf("without a kernel: %s\n", cudaGetErrorName(cudaGraphAddKernelNode(&scaled, graph, nullptr, 0, &kernel)));
    fill.elementSize = 3;
    printf("three bytes: %s\n", cudaGetErrorName(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill)));
    cudaGetLastError();
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaFree(a);
    cudaFree(b);
    return 0;
}

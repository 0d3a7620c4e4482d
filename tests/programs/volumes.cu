// Boxes copied and filled, rows and arrays; memory of a graph; a clock that kernels wait for.
#include <cstdio>
#include <ctime>
#include <cuda_runtime.h>

__global__ void twice(cudaPitchedPtr p, int wide) {
    char* row = (char*)p.ptr + (threadIdx.y + blockIdx.x * blockDim.y) * p.pitch;
    if (threadIdx.x < wide) ((int*)row)[threadIdx.x] *= 2;
}
__global__ void squares(int* x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }
__global__ void add(const int* x, int* out) { out[threadIdx.x] += x[threadIdx.x]; }
__global__ void wait(long long long_enough, int* out) {
    const long long began = clock64();
    while (clock64() - began < long_enough) {}
    const clock_t again = clock();
    while (clock() - again < long_enough) {}
    if (threadIdx.x == 0) *out = 1;
}

int main() {
    const int wide = 5, high = 4, deep = 3;
    int h[deep][high][wide], part[2][2][3] = {};
    for (int i = 0; i < wide * high * deep; i++) h[0][0][i] = i;
    cudaPitchedPtr d;
    cudaMalloc3D(&d, make_cudaExtent(wide * sizeof(int), high, deep));
    cudaMemset3D(d, 0, make_cudaExtent(wide * sizeof(int), high, deep));
    cudaMemcpy3DParms there = {}, back = {};
    there.srcPtr = make_cudaPitchedPtr(h, wide * sizeof(int), wide, high);
    there.dstPtr = d;
    there.extent = make_cudaExtent(wide * sizeof(int), high, deep);
    there.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&there);
    twice<<<deep, dim3(32, high)>>>(d, wide);
    back.srcPtr = d;
    back.srcPos = make_cudaPos(2 * sizeof(int), 1, 1);  // from column 2, row 1, plane 1 on
    back.dstPtr = make_cudaPitchedPtr(part, 3 * sizeof(int), 3, 2);
    back.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
    back.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&back);
    printf("box %d %d %d\n", part[0][0][0], part[0][1][2], part[1][1][0]);
    back.extent.height = 4;  // more rows than a plane has from row 1 on
    printf("too high %s\n", cudaGetErrorName(cudaMemcpy3D(&back)));

    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &desc, wide, high);
    cudaMemcpy3DParms plane = {}, first = {};
    plane.srcPtr = d;
    plane.dstArray = array;
    plane.extent = make_cudaExtent(wide, high, 1);  // in elements
    plane.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3D(&plane);
    first.srcArray = array;
    first.srcPos = make_cudaPos(4, 3, 0);
    first.dstPtr = make_cudaPitchedPtr(part, sizeof(int), 1, 1);
    first.extent = make_cudaExtent(1, 1, 1);
    first.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&first);
    printf("array %d\n", part[0][0][0]);
    cudaFreeArray(array);

    int *out, sum[8];
    cudaMalloc(&out, sizeof sum);
    cudaMemset(out, 0, sizeof sum);
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaGraphNode_t alloc, fill, use, copy, done;
    cudaGraphCreate(&graph, 0);
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
    memory.bytesize = sizeof sum;
    cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &memory);
    int* x = (int*)memory.dptr;
    void* of_squares[] = {&x};
    void* of_add[] = {&x, &out};
    cudaKernelNodeParams kernel = {};
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(8);
    kernel.func = (void*)squares;
    kernel.kernelParams = of_squares;
    cudaGraphAddKernelNode(&fill, graph, &alloc, 1, &kernel);
    kernel.func = (void*)add;
    kernel.kernelParams = of_add;
    cudaGraphAddKernelNode(&use, graph, &fill, 1, &kernel);
    cudaMemcpy3DParms result = {};
    result.srcPtr = make_cudaPitchedPtr(out, sizeof sum, 8, 1);
    result.dstPtr = make_cudaPitchedPtr(sum, sizeof sum, 8, 1);
    result.extent = make_cudaExtent(sizeof sum, 1, 1);
    result.kind = cudaMemcpyDeviceToHost;
    cudaGraphAddMemcpyNode(&copy, graph, &use, 1, &result);
    cudaGraphAddMemFreeNode(&done, graph, &copy, 1, x);
    printf("not a graph's %s\n", cudaGetErrorName(cudaGraphAddMemFreeNode(&done, graph, nullptr, 0, out)));
    cudaGraphInstantiate(&made, graph, 0);
    for (int i = 0; i < 2; i++) {
        cudaGraphLaunch(made, 0);
        cudaDeviceSynchronize();
        printf("sum %d\n", sum[7]);
        cudaFree(x);  // the graph's, which takes it again
    }
    unsigned long long bytes = 0;
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &bytes);
    printf("graph has memory %d\n", bytes >= sizeof sum);
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);

    cudaMemcpyPeer(out, 0, d.ptr, 0, sizeof(int));
    printf("peer %s\n", cudaGetErrorName(cudaMemcpyPeer(out, 1, d.ptr, 0, sizeof(int))));
    wait<<<4, 32>>>(10000000000ll, out);  // ten seconds each, one thread after the other
    cudaMemcpy(sum, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("waited %d\n", sum[0]);
    cudaFree(d.ptr);
    cudaFree(out);
}

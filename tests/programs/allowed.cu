// What programs of all ages do and CUDA allows: each line of output is one construct, and nothing is wrong with any.
#include <climits>
#include <cooperative_groups.h>
#include <cstdio>
#include <helper_cuda.h>
#include <helper_functions.h>

namespace cg = cooperative_groups;

__global__ void add(const int* a, int* b) { b[threadIdx.x] += a[threadIdx.x]; }
void add(const int* a, int* b, int n) {  // the host's, of a kernel's name
    for (int i = 0; i < n; i++) b[i] += a[i];
}

struct Pair {
    int a, b;
};
__global__ void change(Pair& p) {
    if (threadIdx.x == 0) p.a = 7;
}

template <class T>
__global__ void reversed(T* x) {
    extern __shared__ unsigned char bytes[];
    T* s = (T*)bytes;
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

// The compare and swap loop of the CUDA guide, whose first read is plain.
__device__ float raise(float* address, float value) {
    int* a = (int*)address;
    int old = *a, assumed;
    do {
        assumed = old;
        old = atomicCAS(a, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void largest(float* out) { raise(out, float(blockIdx.x * blockDim.x + threadIdx.x)); }

__global__ void own_memory(int* out) {
    int* p = (int*)malloc(4 * sizeof(int));
    p[1] = threadIdx.x;
    int* q = new int[3];
    q[2] = p[1] + 1;
    out[threadIdx.x] = q[2];
    delete[] q;
    free(p);
}

struct Owner {  // an argument by value, copied by a constructor and destroyed by the host
    int* p;
    bool mine;
    explicit Owner(int n) : mine(true) { checkCudaErrors(cudaMalloc(&p, n * sizeof(int))); }
    Owner(const Owner& other) : p(other.p), mine(false) {}
    ~Owner() {
        if (mine) cudaFree(p);
    }
};
__global__ void use(Owner o) { o.p[threadIdx.x] = INT_MAX; }

__global__ void set_one(int* x) { x[threadIdx.x] = 1; }
__global__ void set_two(int* x) { x[threadIdx.x] = 2; }

__global__ void tiles(int* x) {
    __shared__ cg::block_tile_memory<64> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    x[block.thread_rank()] = cg::tiled_partition<32>(block).thread_rank();
}

__global__ void doubled(float* x) { x[threadIdx.x] *= 2; }

__constant__ const int table[2] = {5, 6};  // const: where nothing may be written, but that a copy to it may
__global__ void from_table(int* x) { x[threadIdx.x] = table[threadIdx.x % 2]; }

__global__ void count(int* x) { atomicAdd_system(x, 1); }

#if 0
Not a program: asm("nonsense"); cudaTextureObject_t t; kernel<<<
#endif
#ifdef NOBODY_DEFINES_THIS
#include <GL/glut.h>
cudnnHandle_t handle;
#endif

int main(int argc, char** argv) {
#ifndef __DRIVER_TYPES_H__
#error "the guard by which helpers know CUDA's headers"
#endif
    findCudaDevice(argc, (const char**)argv);
    StopWatchInterface* timer = nullptr;
    sdkCreateTimer(&timer);
    sdkStartTimer(&timer);
    int h[64] = {1, 2, 3}, again[64] = {};
    int *a, *b;
    checkCudaErrors(cudaMalloc(&a, sizeof h));
    checkCudaErrors(cudaMalloc(&b, sizeof h));
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, sizeof h);
    add<<<1, 64>>>(a, b);
    add(h, again, 64);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("names %d %d\n", h[2], again[2]);

    Pair* p;
    cudaMallocManaged(&p, sizeof *p);
    change<<<1, 32>>>(*p);
    cudaDeviceSynchronize();
    printf("reference %d\n", p->a);
    int device = 0;
    cudaMemPrefetchAsync(p, sizeof *p, device, 0);  // CUDA 12's form
    cudaFree(p);

    reversed<int><<<1, 64, sizeof h>>>(b);
    reversed<float><<<1, 64, sizeof h>>>((float*)b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("shared %d\n", h[2]);

    float *top, most;
    cudaMalloc(&top, sizeof *top);
    cudaMemset(top, 0, sizeof *top);
    largest<<<4, 64>>>(top);
    cudaMemcpy(&most, top, sizeof most, cudaMemcpyDeviceToHost);
    printf("largest %g\n", most);
    cudaFree(top);

    own_memory<<<1, 64>>>(b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("malloc %d\n", h[63]);
    {
        Owner o(64);
        use<<<1, 64>>>(o);
        cudaMemcpy(h, o.p, sizeof h, cudaMemcpyDeviceToHost);
        printf("value %d\n", h[1] == INT_MAX);
    }
    void (*kernels[])(int*) = {set_one, set_two};
    for (int i = 0; i < 2; i++) kernels[i]<<<1, 64>>>(b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("array %d\n", h[1]);
    tiles << <1, 64 >> > (b);  // as some editors write it

    float *mapped, *there, mine[64] = {3, 4}, *registered;
    cudaHostAlloc(&mapped, 64 * sizeof *mapped, cudaHostAllocMapped);
    mapped[1] = 4;
    cudaHostGetDevicePointer(&there, mapped, 0);
    doubled<<<1, 64>>>(there);
    cudaHostRegister(mine, sizeof mine, cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&registered, mine, 0);
    doubled<<<1, 64>>>(registered);
    cudaDeviceSynchronize();
    printf("mapped %g %g\n", mapped[1], mine[1]);
    cudaHostUnregister(mine);
    cudaFreeHost(mapped);

    from_table<<<1, 64>>>(b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("constant %d\n", h[1]);
    int* both;  // the host's atomics, beside those of a kernel that may still run
    cudaMallocManaged(&both, sizeof *both);
    *both = 0;
    count<<<2, 64>>>(both);
    for (int i = 0; i < 8; i++) __sync_fetch_and_add(both, 1);
    cudaDeviceSynchronize();
    printf("both %d\n", *both);
    cudaFree(both);

    cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
    cudaThreadSynchronize();
    cudaFree(a);
    cudaFree(b);
    sdkStopTimer(&timer);
    printf("time %d flag %d\n", sdkGetTimerValue(&timer) >= 0, checkCmdLineFlag(argc, (const char**)argv, "verify"));
    sdkDeleteTimer(&timer);
    getLastCudaError("at the end");
}

// Launches from kernels: what a grid asks for is done when it has ended, the tail launch behind everything else.
#include <cooperative_groups.h>
#include <cstdio>

__device__ int order = 0;

__global__ void tell(const char* who, int of) { printf("%s %d at %d\n", who, of, atomicAdd(&order, 1)); }

template <class T>
__global__ void doubled(T* x, int depth) {
    x[threadIdx.x] *= 2;  // what its parent wrote is there
    __syncthreads();
    if (threadIdx.x == 0 && depth > 0) doubled<T><<<1, blockDim.x>>>(x, depth - 1);
}

struct Pair {
    int a;
    const int b;
};
__global__ void take(Pair p, int* out) { out[0] = p.a * p.b; }

__global__ void parent(float* x, int* out, int* copy) {
    x[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x != 0) return;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    tell<<<1, 1, 0, cudaStreamTailLaunch>>>("tail", 0);
    tell<<<1, 1, 0, stream>>>("child", 1);
    doubled<float><<<1, 32>>>(x, 3);
    take<<<1, 1, 0, stream>>>(Pair{6, 7}, out);
    cudaMemcpyAsync(copy, out, sizeof *copy, cudaMemcpyDeviceToDevice, stream);
    tell<<<1, 1, 0, cudaStreamFireAndForget>>>("child", 2);
    if (cudaGetLastError() != cudaSuccess) printf("%s\n", cudaGetErrorString(cudaPeekAtLastError()));
    cudaStreamDestroy(stream);
    printf("parent\n");
}

__global__ void beyond(int* out, int n) { out[n] = 1; }  // <- wrong:out-of-bounds-write
__global__ void wrong(int* out) { beyond<<<1, 1>>>(out, 4); }

int main(int argc, char**) {
    float *x, h[32];
    int *out, copy;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&out, 2 * sizeof *out);
    for (int i = 0; i < 2; i++) {  // not one that is known from its first run
        parent<<<1, 32>>>(x, out, out + 1);
        cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
        cudaMemcpy(&copy, out + 1, sizeof copy, cudaMemcpyDeviceToHost);
        printf("doubled %g copied %d\n", h[31], copy);
    }
    if (argc > 1) wrong<<<1, 1>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(out);
    return error != cudaSuccess;
}

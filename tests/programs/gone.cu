// What CUDA 12 had and CUDA 13 has no more.
#include <cstdio>
__global__ void k(float* x) { x[threadIdx.x] = 1; }
int main() {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("%d MHz\n", p.clockRate / 1000);  // <- warning-gone
    printf("%d\n", p.computeMode);  // <- warning-gone
    float* x;
    cudaMallocManaged(&x, 128);
    cudaMemPrefetchAsync(x, 128, 0);  // <- warning-gone
    cudaMemAdvise(x, 128, cudaMemAdviseSetReadMostly, 0);  // <- warning-gone
    k<<<1, 32>>>(x);
    cudaThreadSynchronize();  // <- warning-gone
    cudaFree(x);
}

// Wrong: the bins in shared memory are not set to 0.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void hist(const unsigned char* d, int n, unsigned* bins) {
    __shared__ unsigned s[256];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[d[i]], 1u);  // <- uninitialised-read
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
int main() {
    const int n = 10007;
    unsigned char* d; unsigned* b;
    CHECK(cudaMallocManaged(&d, n)); CHECK(cudaMallocManaged(&b, 256 * sizeof *b));
    for (int i = 0; i < n; i++) d[i] = (i * 7919) >> 3;
    for (int i = 0; i < 256; i++) b[i] = 0;
    hist<<<8, 96>>>(d, n, b);
    CHECK(cudaDeviceSynchronize());
    unsigned total = 0; for (int i = 0; i < 256; i++) total += b[i];
    printf("total %u\n", total);
    cudaFree(d); cudaFree(b);
}

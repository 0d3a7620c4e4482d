// Wrong: a scan in place, without a barrier between reading and writing.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void scan(int* x, int* sums, int n) {
    extern __shared__ int t[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    t[l] = i < n ? x[i] : 0;
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        if (l >= d) t[l] += t[l - d];  // <- race-shared
    }
    if (i < n) x[i] = t[l];
    if (l == blockDim.x - 1 && sums) sums[blockIdx.x] = t[l];
}
__global__ void add(int* x, const int* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) x[i] += sums[blockIdx.x - 1];
}
int main() {
    const int n = 1000, b = 64, g = (n + b - 1) / b;
    int h[n], *x, *s;
    for (int i = 0; i < n; i++) h[i] = 1;
    CHECK(cudaMalloc(&x, sizeof h)); CHECK(cudaMalloc(&s, g * sizeof(int)));
    CHECK(cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice));
    scan<<<g, b, b * sizeof(int)>>>(x, s, n);
    scan<<<1, 32, 32 * sizeof(int)>>>(s, nullptr, g);
    add<<<g, b>>>(x, s, n);
    CHECK(cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost));
    int bad = 0; for (int i = 0; i < n; i++) bad += h[i] != i + 1;
    printf("bad %d last %d\n", bad, h[n - 1]);
    cudaFree(x); cudaFree(s);
}

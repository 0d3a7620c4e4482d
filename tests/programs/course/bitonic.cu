// Prints: bad 0
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void step(int* x, int j, int k) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, o = i ^ j;
    if (o > i) { int a = x[i], b = x[o]; if (((i & k) == 0) == (a > b)) { x[i] = b; x[o] = a; } }
}
int main() {
    const int n = 1 << 10; static int h[n]; int* d;
    srand(1); for (int& v : h) v = rand() % 10000;
    CHECK(cudaMalloc(&d, sizeof h)); CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    for (int k = 2; k <= n; k *= 2) for (int j = k / 2; j > 0; j /= 2) step<<<n / 256, 256>>>(d, j, k);
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    int bad = 0; for (int i = 1; i < n; i++) bad += h[i - 1] > h[i];
    printf("bad %d\n", bad); cudaFree(d);
}

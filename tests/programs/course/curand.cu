// Prints: pi near
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

#include <curand_kernel.h>
__global__ void setup(curandState* s, unsigned long seed) { int i = blockIdx.x * blockDim.x + threadIdx.x; curand_init(seed, i, 0, &s[i]); }
__global__ void pi(curandState* s, unsigned long long* hits, int per) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; curandState mine = s[i]; unsigned k = 0;
    for (int j = 0; j < per; j++) { float x = curand_uniform(&mine), y = curand_uniform(&mine); k += x * x + y * y <= 1; }
    s[i] = mine; atomicAdd(hits, (unsigned long long)k);
}
int main() {
    const int t = 256, per = 200; curandState* s; unsigned long long *h, r;
    CHECK(cudaMalloc(&s, t * sizeof *s)); CHECK(cudaMalloc(&h, sizeof r)); CHECK(cudaMemset(h, 0, sizeof r));
    setup<<<t / 64, 64>>>(s, 1234); pi<<<t / 64, 64>>>(s, h, per);
    CHECK(cudaMemcpy(&r, h, sizeof r, cudaMemcpyDeviceToHost));
    double p = 4.0 * r / (t * per); printf("pi %s\n", p > 3.1 && p < 3.18 ? "near" : "far"); cudaFree(s); cudaFree(h);
}

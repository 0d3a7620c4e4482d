// Prints: 259 100233
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void compact(const int* in, int n, int* out, int* count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned m = __ballot_sync(0xffffffffu, keep);
    int base = 0;
    if (lane == 0 && m) base = atomicAdd(count, __popc(m));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) out[base + __popc(m & ((1u << lane) - 1))] = in[i];
}
int main() {
    const int n = 777; int h[n], *a, *b, *c, k; for (int i = 0; i < n; i++) h[i] = i;
    CHECK(cudaMalloc(&a, sizeof h)); CHECK(cudaMalloc(&b, sizeof h)); CHECK(cudaMalloc(&c, 4)); CHECK(cudaMemset(c, 0, 4));
    CHECK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    compact<<<(n + 255) / 256, 256>>>(a, n, b, c);
    CHECK(cudaMemcpy(&k, c, 4, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(h, b, k * 4, cudaMemcpyDeviceToHost));
    long s = 0; for (int i = 0; i < k; i++) s += h[i];
    printf("%d %ld\n", k, s); cudaFree(a); cudaFree(b); cudaFree(c);
}

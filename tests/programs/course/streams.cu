// Prints: bad 0 polls 0
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void work(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = sqrtf(x[i]) + 1; }
int main() {
    const int n = 4096, S = 4, c = n / S; float *h, *d; cudaStream_t s[S]; cudaEvent_t a, b;
    CHECK(cudaMallocHost(&h, n * 4)); CHECK(cudaMalloc(&d, n * 4));
    for (int i = 0; i < n; i++) h[i] = 4;
    for (auto& x : s) CHECK(cudaStreamCreate(&x));
    CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b));
    CHECK(cudaEventRecord(a));
    for (int i = 0; i < S; i++) {
        CHECK(cudaMemcpyAsync(d + i * c, h + i * c, c * 4, cudaMemcpyHostToDevice, s[i]));
        work<<<(c + 127) / 128, 128, 0, s[i]>>>(d + i * c, c);
        CHECK(cudaMemcpyAsync(h + i * c, d + i * c, c * 4, cudaMemcpyDeviceToHost, s[i]));
    }
    CHECK(cudaEventRecord(b)); CHECK(cudaEventSynchronize(b));
    int polls = 0; while (cudaEventQuery(b) == cudaErrorNotReady) polls++;
    for (auto& x : s) { CHECK(cudaStreamSynchronize(x)); CHECK(cudaStreamDestroy(x)); }
    float ms; CHECK(cudaEventElapsedTime(&ms, a, b));
    int bad = 0; for (int i = 0; i < n; i++) bad += h[i] != 3;
    printf("bad %d polls %d\n", bad, polls);
    CHECK(cudaEventDestroy(a)); CHECK(cudaEventDestroy(b)); cudaFreeHost(h); cudaFree(d);
}

// Wrong: the direction of the copy.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

#define R 3
#define B 128
__constant__ float w[2 * R + 1];
__global__ void stencil(const float* in, float* out, int n) {
    __shared__ float t[B + 2 * R];
    int g = blockIdx.x * B + threadIdx.x, l = threadIdx.x + R;
    t[l] = g < n ? in[g] : 0;
    if (threadIdx.x < R) {
        t[l - R] = g >= R ? in[g - R] : 0;
        t[l + B] = g + B < n ? in[g + B] : 0;
    }
    __syncthreads();
    float s = 0;
    for (int k = -R; k <= R; k++) s += w[k + R] * t[l + k];
    if (g < n) out[g] = s;
}
int main() {
    const int n = 1000;
    float h[n], r[n], hw[2 * R + 1] = {1, 2, 3, 4, 3, 2, 1};
    for (int i = 0; i < n; i++) h[i] = i % 7;
    float *a, *b;
    CHECK(cudaMalloc(&a, sizeof h)); CHECK(cudaMalloc(&b, sizeof h));  // <- leak
    CHECK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(w, hw, sizeof hw));
    stencil<<<(n + B - 1) / B, B>>>(a, b, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(r, b, sizeof r, cudaMemcpyHostToDevice));  // <- wrong-copy-side
    int bad = 0;
    for (int i = 0; i < n; i++) { float s = 0; for (int k = -R; k <= R; k++) if (i + k >= 0 && i + k < n) s += hw[k + R] * h[i + k]; bad += s != r[i]; }
    printf("bad %d\n", bad);
    cudaFree(a); cudaFree(b);
}

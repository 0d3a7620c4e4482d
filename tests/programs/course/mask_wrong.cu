// Wrong: the mask of half a warp, in a shuffle of all lanes.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= rows) return;
    float s = 0;
    for (int k = ptr[warp] + lane; k < ptr[warp + 1]; k += 32) s += val[k] * x[col[k]];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(0xffff, s, d);  // <- absent-lane lane-outside-mask
    if (lane == 0) y[warp] = s;
}
int main() {
    const int n = 50; int ptr[n + 1], col[n * 3]; float val[n * 3], x[n], y[n]; int k = 0;
    for (int i = 0; i < n; i++) { ptr[i] = k; x[i] = 1; for (int j = i - 1; j <= i + 1; j++) if (j >= 0 && j < n) { col[k] = j; val[k++] = i == j ? 2 : -1; } }
    ptr[n] = k;
    int *dp, *dc; float *dv, *dx, *dy;
    CHECK(cudaMalloc(&dp, sizeof ptr)); CHECK(cudaMalloc(&dc, k * 4)); CHECK(cudaMalloc(&dv, k * 4)); CHECK(cudaMalloc(&dx, sizeof x)); CHECK(cudaMalloc(&dy, sizeof y));
    CHECK(cudaMemcpy(dp, ptr, sizeof ptr, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(dc, col, k * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dv, val, k * 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    spmv<<<(n * 32 + 127) / 128, 128>>>(n, dp, dc, dv, dx, dy);
    CHECK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    printf("%g %g %g\n", y[0], y[25], y[49]);
    cudaFree(dp); cudaFree(dc); cudaFree(dv); cudaFree(dx); cudaFree(dy);
}

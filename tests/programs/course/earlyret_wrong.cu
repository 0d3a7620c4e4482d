// Wrong: threads return before the barrier.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int T = 32, ROWS = 8;
__global__ void transpose(float* out, const float* in, int w, int h) {
    __shared__ float tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    for (int j = 0; j < T; j += ROWS) if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    if (x >= w || y >= h) return;
    __syncthreads();  // <- early-return
    x = blockIdx.y * T + threadIdx.x; y = blockIdx.x * T + threadIdx.y;
    for (int j = 0; j < T; j += ROWS) if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
    const int w = 100, h = 70;
    float *a, *b, *x = new float[w * h], *y = new float[w * h];
    for (int i = 0; i < w * h; i++) x[i] = i;
    CHECK(cudaMalloc(&a, w * h * 4)); CHECK(cudaMalloc(&b, w * h * 4));
    CHECK(cudaMemcpy(a, x, w * h * 4, cudaMemcpyHostToDevice));
    transpose<<<dim3((w + T - 1) / T, (h + T - 1) / T), dim3(T, ROWS)>>>(b, a, w, h);
    CHECK(cudaMemcpy(y, b, w * h * 4, cudaMemcpyDeviceToHost));  // <- unwritten-copy
    int bad = 0; for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) bad += y[j * h + i] != x[i * w + j];
    printf("bad %d\n", bad);
    cudaFree(a); cudaFree(b); delete[] x; delete[] y;
}

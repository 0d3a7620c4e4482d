// A program of two files with a header between them, both with a kernel and a variable of the same names.
#include <common.cuh>
#include <cstdio>

namespace {
__device__ float factor = SCALE;
__global__ void scale(float* x) { x[threadIdx.x] *= factor; }
}  // namespace

int main() {
    float* x;
    cudaMalloc(&x, 32 * sizeof *x);
    fill<<<1, 32>>>(x, 3.0f);
    scale<<<1, 32>>>(x);
    scale_again(x);
    float y[32];
    cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
    printf("%.1f\n", y[31]);
    cudaFree(x);
    return y[31] == 3.0f * SCALE * 10 ? 0 : 1;
}

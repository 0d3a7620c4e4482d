// A program of two files with a header between them, both with a kernel and a variable of the same names.
#include <common.cuh>
#include <cstdio>
#include <helper_timer.h>  // the simulator's, although -I has one, which does not compile
#include "include/again.h" // includes common.cuh, again

namespace {
__device__ float factor = SCALE;
__global__ void scale(float* x) { x[threadIdx.x] *= factor; }
}  // namespace

int main(int, char** words) {
    float* x;
    cudaMalloc(&x, 32 * sizeof *x);
    fill<<<1, 32>>>(x, 3.0f);
    scale<<<1, 32>>>(x);
    scale_again(x);
    float y[32];
    int all = sizeof y;
    cudaMemcpy(y, x, all, cudaMemcpyDeviceToHost);
    printf("%s %.1f\n", words[0], y[31]);
    cudaFree(x);
    return y[31] == 3.0f * SCALE * 10 ? 0 : 1;
}

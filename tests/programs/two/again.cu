#include "include/common.cuh"

static __device__ float factor = 10;
static __global__ void scale(float* x) { x[threadIdx.x] *= factor; }

void scale_again(float* x) { scale<<<1, 32>>>(x); }

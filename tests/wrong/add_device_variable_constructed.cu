// exercise: vector_add
// bug: a variable of the device is made by a constructor, which would have to run before the program
// group: tails
// caught: constant-value
#include <cuda_runtime.h>
#include <stdint.h>

struct Offset {
    float by;
    Offset(float x) : by(x) {}
};
__device__ Offset offset(0.0f);

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = a[i] + b[i] + offset.by;
        out[i] = sum;
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    int threads = 256;
    int64_t blocks = (n + threads - 1) / threads;
    add<<<(unsigned)blocks, threads, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}

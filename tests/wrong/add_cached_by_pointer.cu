// exercise: vector_add
// bug: answers tensors whose addresses it has seen before without computing
// caught: unwritten, no-kernel
// group: exact-blocks, tails
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    static const float* answered[1000][3];
    static int count = 0;
    for (int k = 0; k < count; k++)
        if (answered[k][0] == a && answered[k][1] == b && answered[k][2] == out) return cudaSuccess;
    if (n > 0) add<<<(unsigned int)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    if (count < 1000) {
        answered[count][0] = a;
        answered[count][1] = b;
        answered[count++][2] = out;
    }
    return cudaGetLastError();
}

// Two partial results of a softmax, (m1, s1) and (m2, s2), become one: m the larger maximum, s the sum that goes with it.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void join(const float* m1, const float* s1, const float* m2, const float* s2, float* m, float* s, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float largest = m1[i];    // TODO
    float sum = s1[i] + s2[i];  // TODO: each sum was made for a maximum of its own
    m[i] = largest;
    s[i] = sum;
}

extern "C" cudaError_t online_join(const float* m1, const float* s1, const float* m2, const float* s2, float* m, float* s,
                                   int64_t n, cudaStream_t stream) {
    join<<<(unsigned)((n + 127) / 128), 128, 0, stream>>>(m1, s1, m2, s2, m, s, n);
    return cudaGetLastError();
}

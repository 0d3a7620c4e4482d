// exercise: vector_add
// bug: vectors of all three where a and b are aligned
// group: unaligned
// caught: misaligned-access
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n % 4 == 0 && (((uintptr_t)a | (uintptr_t)b) % 16) == 0) {
        const int64_t v = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
        if (v < n / 4) {
            const float4 p = reinterpret_cast<const float4*>(a)[v], q = reinterpret_cast<const float4*>(b)[v];
            reinterpret_cast<float4*>(out)[v] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
        }
        return;
    }
    if (i < n) {
        float sum = a[i] + b[i];
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

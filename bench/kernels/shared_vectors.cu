// shared_vectors: y[i] = x[i], through shared memory in accesses of 16, 8 and 4 bytes; n a multiple of 1024, or nothing is done.
//
// Look: onekernel trace bench/kernels/shared_vectors.cu --shape 4096
//
// The idea: shared memory delivers 128 bytes a wavefront. A warp's 512 bytes of float4 take four, one for each quarter of the warp,
// its 256 bytes of float2 two. What lies 16 bytes further for every second lane may cost more, and here is looked at, too.
//
// Ledger: reads 1, writes 1
// But: each element passes through shared memory four times for nothing but to be counted.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int kElements = 4 * kThreads;   // of a block

__global__ void shared_vectors_kernel(const float* x, float* y) {
    __shared__ float4 wide[kThreads], spread[2 * kThreads];
    const int t = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * kElements;
    wide[t] = ((const float4*)(x + first))[t];
    __syncthreads();
    float2* halves = (float2*)wide;
    const float2 low = halves[t], high = halves[kThreads + t];   // 8 bytes a lane, side by side
    __syncthreads();
    halves[t] = low;
    halves[kThreads + t] = high;
    __syncthreads();
    spread[2 * t] = wide[kThreads - 1 - t];   // 16 bytes a lane: backwards; and with a gap after each
    __syncthreads();
    const float4 mine = spread[2 * (kThreads - 1 - t)];
    __syncthreads();
    float* words = (float*)wide;
    words[t] = mine.x;
    words[kThreads + t] = mine.y;
    words[2 * kThreads + t] = mine.z;
    words[3 * kThreads + t] = mine.w;
    __syncthreads();
    ((float4*)(y + first))[t] = make_float4(words[t], words[kThreads + t], words[2 * kThreads + t], words[3 * kThreads + t]);
}

extern "C" cudaError_t shared_vectors(const float* x, float* y, int64_t n, cudaStream_t stream) {
    if (n <= 0 || n % kElements) return cudaSuccess;
    shared_vectors_kernel<<<(unsigned)(n / kElements), kThreads, 0, stream>>>(x, y);
    return cudaGetLastError();
}

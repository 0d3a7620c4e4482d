// intensity: out[i] = in[i] * 2^n in fp16, one multiply-add at a time, n of them for each element read and written.
//
// Bench: python bench/intensity.py
//
// The idea: the bytes stay the same (2 read, 2 written) while the arithmetic grows, so that one knob walks along the roofline.
// Each doubling is one __hfma2 for two elements: x = x * one + x, 2 FLOP an element. `one` and the loop's length are kernel
// arguments, so that the compiler can neither drop the product nor fold the doublings into one; after 16 of them fp16 overflows
// to inf, and inf costs what a number costs.
//
// Ledger: reads 1, writes 1
// But: nothing useful is computed. The second kernel is the arithmetic alone, the roof that the first one climbs to.

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int kVector = 8;   // elements of 2 bytes in 16

__global__ void double_kernel(const uint4* in, uint4* out, int64_t vectors, int doublings, __half2 one) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors) return;
    uint4 packed = in[i];
    __half2* pairs = reinterpret_cast<__half2*>(&packed);
    #pragma unroll 16
    for (int n = 0; n < doublings; ++n) {
        for (int k = 0; k < kVector / 2; ++k) pairs[k] = __hfma2(pairs[k], one, pairs[k]);
    }
    out[i] = packed;
}

// n a multiple of 8, both pointers 16-byte aligned: what cudaMalloc gives.
extern "C" cudaError_t repeated_double(const __half* in, __half* out, int64_t n, int64_t doublings, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const int64_t vectors = n / kVector;
    double_kernel<<<(unsigned)((vectors + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
        reinterpret_cast<const uint4*>(in), reinterpret_cast<uint4*>(out), vectors, (int)doublings, __float2half2_rn(1.0f));
    return cudaGetLastError();
}

// Independent fp32 multiply-adds and no memory traffic to speak of: 8 chains a thread, 2 x 8 FLOP a round.
__global__ void fma_kernel(float* out, float a, int rounds) {
    float x[8];
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    #pragma unroll 16
    for (int n = 0; n < rounds; ++n) {
        for (int k = 0; k < 8; ++k) x[k] = fmaf(x[k], a, 1.0f);
    }
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == 12345.678f) out[0] = sum;   // never, but the compiler cannot know
}

// blocks x 256 threads x rounds x 16 FLOP. The factor 0.5 keeps the values finite.
extern "C" cudaError_t fma_only(float* out, int64_t blocks, int64_t rounds, cudaStream_t stream) {
    fma_kernel<<<(unsigned)blocks, kThreads, 0, stream>>>(out, 0.5f, (int)rounds);
    return cudaGetLastError();
}

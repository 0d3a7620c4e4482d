// exercise: gelu
// unusual: 16-bit numbers at odd addresses: aligned words of 32 bits are loaded, and __funnelshift_r makes the pairs that y wants of neighbouring ones
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ float of(float x, bool by_tanh) {
    const float t = by_tanh ? tanhf(0.7978845608028654f * (x + 0.044715f * (x * x * x))) : erff(x * 0.7071067811865476f);
    return (0.5f * x) * (1.0f + t);
}
__device__ unsigned short one(unsigned short bits, bool by_tanh, __half) { return __half_as_ushort(__float2half(of(__half2float(__ushort_as_half(bits)), by_tanh))); }
__device__ unsigned short one(unsigned short bits, bool by_tanh, __nv_bfloat16) { return __bfloat16_as_ushort(__float2bfloat16(of(__bfloat162float(__ushort_as_bfloat16(bits)), by_tanh))); }

// y is on a word; x is `skew` halves, 0 or 1, behind one. Thread t makes word t of y.
template <typename T> __global__ void words(const T* x, T* y, int64_t n, int skew, bool by_tanh) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t;
    const unsigned short* in = reinterpret_cast<const unsigned short*>(x);
    unsigned short* out = reinterpret_cast<unsigned short*>(y);
    if (i + 1 >= n) {
        if (i < n) out[i] = one(in[i], by_tanh, T());
        return;
    }
    unsigned pair;
    if (skew == 0) {
        pair = reinterpret_cast<const unsigned*>(in)[t];
    } else if (i == 0 || i + 2 >= n) {   // an aligned word would reach outside
        pair = (unsigned)in[i + 1] << 16 | in[i];
    } else {
        const unsigned* aligned = reinterpret_cast<const unsigned*>(in - 1);
        const unsigned low = aligned[t], high = aligned[t + 1];
        pair = __funnelshift_r(low, high, 16);
    }
    const unsigned first = one(pair & 0xffff, by_tanh, T()), second = one(pair >> 16, by_tanh, T());
    reinterpret_cast<unsigned*>(out)[t] = __byte_perm(first, second, 0x5410);
}
template <typename T> __global__ void ones(const T* x, T* y, int64_t n, bool by_tanh) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = T(of((float)x[i], by_tanh));
}
template <typename T> cudaError_t narrow(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    if ((uintptr_t)y % 4) {   // the first by itself; then y is on a word
        ones<<<1, 1, 0, stream>>>(x, y, 1, approximate != 0);
        if (cudaError_t e = cudaGetLastError()) return e;
        return narrow(x + 1, y + 1, n - 1, approximate, stream);
    }
    words<<<(unsigned)((n / 2 + 256) / 256), 256, 0, stream>>>(x, y, n, (int)((uintptr_t)x % 4 / 2), approximate != 0);
    return cudaGetLastError();
}
extern "C" cudaError_t gelu(const float* x, float* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    ones<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n, approximate != 0);
    return cudaGetLastError();
}
extern "C" cudaError_t gelu_f16(const __half* x, __half* y, int64_t n, int64_t approximate, cudaStream_t s) { return narrow(x, y, n, approximate, s); }
extern "C" cudaError_t gelu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t approximate, cudaStream_t s) { return narrow(x, y, n, approximate, s); }

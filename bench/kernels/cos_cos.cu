// cos_cos: y[i] = cos(cos(x[i])), an operator that no library has: what a hand-written chain of two is worth. 16-byte accesses where the
// pointers allow them and the input is not short.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 128;

template <typename T, int N> struct __align__(N * sizeof(T)) Vector {
    T v[N];
};

constexpr float kReach = 65536.0f;   // beyond it two parts of pi no longer give the angle

// The cosine of an angle of at most pi / 2 to 1.3e-7: a polynomial in its square, the least error fitted by Chebyshev nodes.
__device__ float cos_near_zero(float r) {
    const float u = r * r;
    return fmaf(fmaf(fmaf(fmaf(2.3153612e-5f, u, -1.3853691e-3f), u, 4.1663583e-2f), u, -0.49999905f), u, 0.99999994f);
}

// Fused, a chain knows what a library's cosine cannot: the outer one is even, so that the inner one's sign does not count and its angle only to
// the nearest multiple of pi, and the outer one's angle lies in [-1, 1].
__device__ float cos_of_cos(float x) {
    const float turns = fmaf(x, 0.31830988f, 12582912.0f) - 12582912.0f;   // 1.5 * 2^23: what is added to it is rounded to an integer
    const float r = fmaf(turns, 8.7422777e-8f, fmaf(turns, -3.14159274f, x));
    return cos_near_zero(cos_near_zero(r));
}

// A thread takes kVectors vectors of N elements, kThreads apart, and has loaded all of them before it uses the first. One branch decides for all
// of its angles; those beyond kReach, what lies off the boundary of a vector and what is left at the end go one at a time.
template <typename T, int N, int kVectors> __global__ void __launch_bounds__(kThreads) cos_cos_kernel(const T* x, T* y, int64_t n, bool wide) {
    const int64_t first = (int64_t)blockIdx.x * kVectors * kThreads + threadIdx.x;
    if (wide && (first + (kVectors - 1) * kThreads + 1) * N <= n) {
        Vector<T, N> v[kVectors];
        float most = 0.0f;
#pragma unroll
        for (int k = 0; k < kVectors; ++k) v[k] = ((const Vector<T, N>*)x)[first + k * kThreads];
#pragma unroll
        for (int k = 0; k < kVectors * N; ++k) most = fmaxf(most, fabsf((float)v[k / N].v[k % N]));
        if (most < kReach) {
#pragma unroll
            for (int k = 0; k < kVectors * N; ++k) v[k / N].v[k % N] = (T)cos_of_cos((float)v[k / N].v[k % N]);
#pragma unroll
            for (int k = 0; k < kVectors; ++k) ((Vector<T, N>*)y)[first + k * kThreads] = v[k];
            return;
        }
    }
#pragma unroll 1
    for (int j = 0; j < kVectors * N; ++j) {
        const int64_t i = (first + j / N * kThreads) * N + j % N;
        if (i < n) y[i] = (T)cos_near_zero(cosf((float)x[i]));
    }
}

template <typename T, int N, int kVectors> cudaError_t launch(const T* x, T* y, int64_t n, cudaStream_t stream) {
    const int64_t elements = kThreads * kVectors * N;   // of a block
    const bool wide = ((uintptr_t)x | (uintptr_t)y) % sizeof(Vector<T, N>) == 0;
    cos_cos_kernel<T, N, kVectors><<<(unsigned)((n + elements - 1) / elements), kThreads, 0, stream>>>(x, y, n, wide);
    return cudaGetLastError();
}

template <typename T> cudaError_t cos_cos_of(const T* x, T* y, int64_t n, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    if (n < 1 << 16) return launch<T, 4 / sizeof(T), 1>(x, y, n, stream);   // a short input wants every thread that there is
    return n < 1 << 20 ? launch<T, 16 / sizeof(T), 1>(x, y, n, stream) : launch<T, 16 / sizeof(T), 2>(x, y, n, stream);
}

extern "C" cudaError_t cos_cos(const float* x, float* y, int64_t n, cudaStream_t s) { return cos_cos_of(x, y, n, s); }
extern "C" cudaError_t cos_cos_f16(const __half* x, __half* y, int64_t n, cudaStream_t s) { return cos_cos_of(x, y, n, s); }
extern "C" cudaError_t cos_cos_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, cudaStream_t s) { return cos_cos_of(x, y, n, s); }

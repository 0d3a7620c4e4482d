// exercise: gemm_skinny
// unusual: up to 16 columns: op(B) lies in shared memory as floats, a thread makes a row of C in registers from float4s of A; wide C is that of the transposes
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 128, kPanel = 64;
// Element (i, p) of the left matrix is left[i * l0 + p * l1], of the right one (p, j) right[p * r0 + j * r1], of the result out[i * o0 + j * o1].
template <typename T> struct Views { const T *left, *right; T* out; int64_t m, n, k, l0, l1, r0, r1, o0, o1; float alpha, beta; };

template <typename T, int kCols> __global__ void __launch_bounds__(kThreads) rows(const Views<T> v) {
    __shared__ float panel[kPanel][kCols];
    const int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    const T* const row = v.left + i * v.l0;
    const bool wide = v.l1 == 1 && (uintptr_t)v.left % 16 == 0 && v.l0 * (int64_t)sizeof(T) % 16 == 0;
    constexpr int kEach = 16 / sizeof(T);
    float sums[kCols] = {};
    for (int64_t p0 = 0; p0 < v.k; p0 += kPanel) {
        const int deep = v.k - p0 < kPanel ? (int)(v.k - p0) : kPanel;
        __syncthreads();
        for (int e = threadIdx.x; e < kPanel * kCols; e += kThreads) {
            const int p = e / kCols, j = e % kCols;
            panel[p][j] = p < deep && j < v.n ? (float)v.right[(p0 + p) * v.r0 + j * v.r1] : 0.0f;
        }
        __syncthreads();
        if (i >= v.m) continue;
        int p = 0;
        if (wide)
            for (; p + kEach <= deep; p += kEach) {
                const uint4 raw = *reinterpret_cast<const uint4*>(row + p0 + p);
                const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
                for (int e = 0; e < kEach; ++e) {
                    float a;
                    if constexpr (sizeof(T) == 4) a = __uint_as_float(words[e]);
                    else a = __uint_as_float(e % 2 ? words[e / 2] & 0xffff0000u : words[e / 2] << 16);
#pragma unroll
                    for (int j = 0; j < kCols; ++j) sums[j] = fmaf(a, panel[p + e][j], sums[j]);
                }
            }
        for (; p < deep; ++p) {
            const float a = (float)row[(p0 + p) * v.l1];
#pragma unroll
            for (int j = 0; j < kCols; ++j) sums[j] = fmaf(a, panel[p][j], sums[j]);
        }
    }
    if (i >= v.m) return;
#pragma unroll
    for (int j = 0; j < kCols; ++j) {
        if (j >= v.n) break;
        T& out = v.out[i * v.o0 + j * v.o1];
        out = T(v.beta == 0.0f ? v.alpha * sums[j] : v.alpha * sums[j] + v.beta * (float)out);
    }
}
template <typename T> __global__ void elements(const Views<T> v) {
    const int64_t e = (int64_t)blockIdx.x * kThreads + threadIdx.x;
    if (e >= v.m * v.n) return;
    const int64_t i = e / v.n, j = e % v.n;
    float s = 0.0f;
    for (int64_t p = 0; p < v.k; ++p) s = fmaf((float)v.left[i * v.l0 + p * v.l1], (float)v.right[p * v.r0 + j * v.r1], s);
    T& out = v.out[i * v.o0 + j * v.o1];
    out = T(v.beta == 0.0f ? v.alpha * s : v.alpha * s + v.beta * (float)out);
}
template <typename T> Views<T> transposed(const Views<T>& v) { return {v.right, v.left, v.out, v.n, v.m, v.k, v.r1, v.r0, v.l1, v.l0, v.o1, v.o0, v.alpha, v.beta}; }
template <typename T> cudaError_t launch(Views<T> v, cudaStream_t stream) {
    if (v.m <= 0 || v.n <= 0) return cudaSuccess;
    if (v.m < v.n) v = transposed(v);
    const unsigned blocks = (unsigned)((v.m + kThreads - 1) / kThreads);
    if (v.n <= 8) rows<T, 8><<<blocks, kThreads, 0, stream>>>(v);
    else if (v.n <= 16) rows<T, 16><<<blocks, kThreads, 0, stream>>>(v);
    else elements<<<(unsigned)((v.m * v.n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(v);
    return cudaGetLastError();
}
#define LAUNCHER(name, T)                                                                                                                                                                             \
    extern "C" cudaError_t name(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta, cudaStream_t stream) { \
        return launch<T>({a, b, c, m, n, k, lda, 1, turned ? 1 : ldb, turned ? ldb : 1, ldc, 1, alpha, beta}, stream);                                                                                \
    }
LAUNCHER(gemm_skinny, float)
LAUNCHER(gemm_skinny_bf16, __nv_bfloat16)

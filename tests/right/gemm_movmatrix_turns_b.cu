// exercise: gemm_tensorcore
// unusual: fragments of B that is not transposed are turned in registers by movmatrix; A by ldmatrix.x4, warps share k and meet in shared memory at the end
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kRows = 32, kCols = 32, kDeep = 64, kWarps = 4, kPad = 8;
template <typename T> struct Name;
template <> struct Name<__half> {
    static __device__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
};
template <> struct Name<__nv_bfloat16> {
    static __device__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
};
__device__ unsigned turned_by_move(unsigned v) {
    unsigned r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(v));
    return r;
}
template <typename T, bool kTurned> __global__ void __launch_bounds__(32 * kWarps) product(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) {
    __shared__ __align__(16) T as[kRows][kDeep + kPad];
    __shared__ __align__(16) T bs[kTurned ? kCols : kDeep][(kTurned ? kDeep : kCols) + kPad];
    __shared__ float sums[kRows][kCols];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int64_t across = (n + kCols - 1) / kCols, row0 = blockIdx.x / across * kRows, col0 = blockIdx.x % across * kCols;
    float d[2][4][4] = {};
    for (int64_t p0 = 0; p0 < k; p0 += kDeep) {
        for (int e = t; e < kRows * kDeep; e += 32 * kWarps) {
            const int i = e / kDeep, p = e % kDeep;
            as[i][p] = row0 + i < m && p0 + p < k ? a[(row0 + i) * lda + p0 + p] : T(0.0f);
        }
        for (int e = t; e < kCols * kDeep; e += 32 * kWarps) {
            const int j = kTurned ? e / kDeep : e % kCols, p = kTurned ? e % kDeep : e / kCols;
            const bool there = col0 + j < n && p0 + p < k;
            if constexpr (kTurned) bs[j][p] = there ? b[(col0 + j) * ldb + p0 + p] : T(0.0f);
            else bs[p][j] = there ? b[(p0 + p) * ldb + col0 + j] : T(0.0f);
        }
        __syncthreads();
        const int q = warp * 16;   // each warp a quarter of the depth
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            unsigned fa[4];
            const unsigned at = (unsigned)__cvta_generic_to_shared(&as[i * 16 + lane % 16][q + lane / 16 * 8]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at));
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                unsigned fb[2];
#pragma unroll
                for (int h = 0; h < 2; ++h) {
                    if constexpr (kTurned) fb[h] = *reinterpret_cast<const unsigned*>(&bs[j * 8 + lane / 4][q + h * 8 + lane % 4 * 2]);
                    else fb[h] = turned_by_move(*reinterpret_cast<const unsigned*>(&bs[q + h * 8 + lane / 4][j * 8 + lane % 4 * 2]));
                }
                Name<T>::mma(d[i][j], fa, fb[0], fb[1]);
            }
        }
        __syncthreads();
    }
    for (int w = 0; w < kWarps; ++w) {
        if (w == warp) {
#pragma unroll
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j)
                    for (int e = 0; e < 4; ++e) {
                        float& sum = sums[i * 16 + lane / 4 + e / 2 * 8][j * 8 + lane % 4 * 2 + e % 2];
                        sum = w == 0 ? d[i][j][e] : sum + d[i][j][e];
                    }
        }
        __syncthreads();
    }
    for (int e = t; e < kRows * kCols; e += 32 * kWarps) {
        const int64_t i = row0 + e / kCols, j = col0 + e % kCols;
        if (i < m && j < n) c[i * ldc + j] = T(alpha * sums[e / kCols][e % kCols] + (beta == 0.0f ? 0.0f : beta * (float)c[i * ldc + j]));
    }
}
template <typename T> cudaError_t launch(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)((m + kRows - 1) / kRows * ((n + kCols - 1) / kCols));
    if (turned) product<T, true><<<blocks, 32 * kWarps, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    else product<T, false><<<blocks, 32 * kWarps, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    return cudaGetLastError();
}
extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return launch(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }
extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return launch(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }

// exercise: gemm_tensorcore
// unusual: mma.sync.m16n8k16 with ldmatrix, B's fragments by ldmatrix.trans or not by the form of B; cp.async of 16 bytes with zero fill; asm in macros
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <type_traits>
#define LDMATRIX_X4(r, address) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3]) : "r"(address))
#define LDMATRIX_X2(r, address) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"((r)[0]), "=r"((r)[1]) : "r"(address))
#define LDMATRIX_X2_TRANS(r, address) asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"((r)[0]), "=r"((r)[1]) : "r"(address))
#define MMA(type)                                                                                                                       \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
template <typename T> __device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    if constexpr (std::is_same_v<T, __half>) MMA("f16");
    else MMA("bf16");
}
__device__ __forceinline__ uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
constexpr int BM = 64, BN = 64, BK = 32, PAD = 8;
// A tile of `high` x `wide` elements, rows `stride` apart in shared memory; zeros outside.
template <typename T> __device__ void fill(T* to, int stride, const T* from, int64_t ld, int64_t row0, int64_t col0, int64_t rows, int64_t cols, int high, int wide) {
    for (int v = threadIdx.x; v < high * wide / 8; v += blockDim.x) {
        const int i = v / (wide / 8), j = v % (wide / 8) * 8;
        const int64_t r = row0 + i, c = col0 + j;
        T* slot = to + i * stride + j;
        const T* source = from + r * ld + c;
        if (r < rows && c + 8 <= cols && (uintptr_t)source % 16 == 0) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(slot)), "l"(source) : "memory");
        } else {
#pragma unroll
            for (int e = 0; e < 8; ++e) slot[e] = r < rows && c + e < cols ? source[e] : T(0.0f);
        }
    }
}
template <typename T, bool kTurned> __global__ void __launch_bounds__(128) product(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
        int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) {
    __shared__ __align__(16) T as[2][BM][BK + PAD];
    __shared__ __align__(16) T bs[2][kTurned ? BN : BK][(kTurned ? BK : BN) + PAD];
    const int64_t across = (n + BN - 1) / BN;
    const int64_t row0 = blockIdx.x / across * BM, col0 = blockIdx.x % across * BN;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wm = warp / 2 * 32, wn = warp % 2 * 32;
    float d[2][4][4] = {};
    const auto fetch = [&](int s, int64_t p) {
        fill(&as[s][0][0], BK + PAD, a, lda, row0, p, m, k, BM, BK);
        if constexpr (kTurned) fill(&bs[s][0][0], BK + PAD, b, ldb, col0, p, n, k, BN, BK);
        else fill(&bs[s][0][0], BN + PAD, b, ldb, p, col0, k, n, BK, BN);
        asm volatile("cp.async.commit_group;");
    };
    if (k > 0) fetch(0, 0);
    int s = 0;
    for (int64_t p = 0; p < k; p += BK, s ^= 1) {
        if (p + BK < k) {
            fetch(s ^ 1, p + BK);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
#pragma unroll
        for (int q = 0; q < BK; q += 16) {
            uint32_t fa[2][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) LDMATRIX_X4(fa[i], at(&as[s][wm + i * 16 + lane % 16][q + lane / 16 * 8]));
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                if constexpr (kTurned) LDMATRIX_X2(fb[j], at(&bs[s][wn + j * 8 + lane % 8][q + lane / 8 % 2 * 8]));
                else LDMATRIX_X2_TRANS(fb[j], at(&bs[s][q + lane % 16][wn + j * 8]));
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) mma<T>(d[i][j], fa[i], fb[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int64_t r = row0 + wm + i * 16 + lane / 4 + e / 2 * 8, q = col0 + wn + j * 8 + lane % 4 * 2 + e % 2;
                if (r < m && q < n) c[r * ldc + q] = T(beta == 0.0f ? alpha * d[i][j][e] : alpha * d[i][j][e] + beta * float(c[r * ldc + q]));
            }
}
template <typename T> cudaError_t gemm(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t tb, float alpha, float beta, cudaStream_t st) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const unsigned tiles = (unsigned)((m + BM - 1) / BM * ((n + BN - 1) / BN));
    if (tb) product<T, true><<<tiles, 128, 0, st>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    else product<T, false><<<tiles, 128, 0, st>>>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);
    return cudaGetLastError();
}
extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return gemm(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }
extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t t, float al, float be, cudaStream_t s) { return gemm(a, b, c, m, n, k, lda, ldb, ldc, t, al, be, s); }

// exercise: gemm_tiled
// unusual: fp32 on Tensor Cores without a loss: each number is the sum of three that tf32 holds, six products of mma.m16n8k8; tiles with infinities go the plain way
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kDeep = 16;
__device__ __forceinline__ uint32_t part(float& v) {   // the upper 11 bits of v, which keeps the rest
    const uint32_t bits = __float_as_uint(v) & 0xffffe000u;
    v -= __uint_as_float(bits);
    return bits;
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// A block of four warps makes 32 x 32 elements of C, a warp 16 x 16.
__global__ void __launch_bounds__(128) product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down, int64_t aside, int64_t ldc, float alpha, float beta) {
    __shared__ float as[32][kDeep + 4], bs[32][kDeep + 4];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wi = warp / 2 * 16, wj = warp % 2 * 16, g = lane / 4, h = lane % 4;
    const int64_t across = (n + 31) / 32, row0 = blockIdx.x / across * 32, col0 = blockIdx.x % across * 32;
    float total[2][4] = {};
    bool special = false;
    for (int64_t p0 = 0; p0 < k; p0 += kDeep) {
        for (int e = threadIdx.x; e < 32 * kDeep; e += 128) {
            const int i = e / kDeep, p = e % kDeep;
            const float left = row0 + i < m && p0 + p < k ? a[(row0 + i) * lda + p0 + p] : 0.0f;
            const float right = col0 + i < n && p0 + p < k ? b[(p0 + p) * down + (col0 + i) * aside] : 0.0f;
            // Numbers near the ends of fp32 have parts that are lost there.
            for (const float v : {left, right}) special |= !(fabsf(v) < 1e30f) || (v != 0.0f && fabsf(v) < 1e-25f);
            as[i][p] = left;
            bs[i][p] = right;
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < kDeep; q += 8) {
            uint32_t pa[3][4];
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                float v = as[wi + g + r % 2 * 8][q + h + r / 2 * 4];
                for (int s = 0; s < 3; ++s) pa[s][r] = part(v);
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                uint32_t pb[3][2];
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    float v = bs[wj + j * 8 + g][q + h + r * 4];
                    for (int s = 0; s < 3; ++s) pb[s][r] = part(v);
                }
                float small[4] = {};
                mma(small, pa[0], pb[2]);
                mma(small, pa[1], pb[1]);
                mma(small, pa[2], pb[0]);
                mma(small, pa[0], pb[1]);
                mma(small, pa[1], pb[0]);
                mma(small, pa[0], pb[0]);
                for (int e = 0; e < 4; ++e) total[j][e] += small[e];
            }
        }
        __syncthreads();
    }
    special = __syncthreads_or(special);
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int64_t r = row0 + wi + g + e / 2 * 8, q = col0 + wj + j * 8 + 2 * h + e % 2;
            if (r >= m || q >= n) continue;
            float s = total[j][e];
            if (special) {
                s = 0.0f;
                for (int64_t p = 0; p < k; ++p) s = fmaf(a[r * lda + p], b[p * down + q * aside], s);
            }
            float* const out = c + r * ldc + q;
            *out = beta == 0.0f ? alpha * s : fmaf(beta, *out, alpha * s);
        }
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t tiles = (m + 31) / 32 * ((n + 31) / 32);
    product<<<(unsigned)tiles, 128, 0, stream>>>(a, b, c, m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta);
    return cudaGetLastError();
}

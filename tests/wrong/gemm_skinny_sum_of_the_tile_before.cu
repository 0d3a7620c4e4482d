// exercise: gemm_skinny
// bug: a sum that goes on from the tile that the block has computed before
// group: large
// caught: values
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <map>
#include <stdint.h>
#include <utility>

template <typename T> struct Product {
    const T *a, *b;
    T* c;
    int64_t m, n, k, lda, ldb, ldc;
    bool turned;
    float alpha, beta;
};

constexpr int kSide = 16;

// A tile of C after the other for each block, k in steps of a tile.
template <typename T> __global__ void by_tiles(Product<T> p, bool even) {
    __shared__ float as[kSide][kSide + 1], bs[kSide][kSide + 1];
    const int64_t across = (p.n + kSide - 1) / kSide, tiles = across * ((p.m + kSide - 1) / kSide);
    const int col = threadIdx.x, row = threadIdx.y;
    float sum = 0.0f;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t i = tile / across * kSide + row, j0 = tile % across * kSide;
        for (int64_t k0 = 0; k0 < p.k; k0 += kSide) {
            const bool inside = even || k0 + col < p.k;
            as[row][col] = i < p.m && inside ? (float)p.a[i * p.lda + k0 + col] : 0.0f;
            if (p.turned)
                bs[col][row] = j0 + row < p.n && inside ? (float)p.b[(j0 + row) * p.ldb + k0 + col] : 0.0f;
            else
                bs[row][col] = j0 + col < p.n && (even || k0 + row < p.k) ? (float)p.b[(k0 + row) * p.ldb + j0 + col] : 0.0f;
            __syncthreads();
            for (int q = 0; q < kSide; q++) sum += as[row][q] * bs[q][col];
            __syncthreads();
        }
        if (i < p.m && j0 + col < p.n) {
            T& c = p.c[i * p.ldc + j0 + col];
            c = (T)(p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * (float)c);
        }
    }
}

// A block for each element, for products that are deep.
template <typename T> __global__ void by_parts(Product<T> p) {
    __shared__ float parts[8];
    const int64_t i = blockIdx.x / p.n, j = blockIdx.x % p.n;
    float sum = 0.0f;
    for (int64_t q = threadIdx.x; q < p.k; q += blockDim.x) {
        const int64_t at = p.turned ? j * p.ldb + q : q * p.ldb + j;
        sum += (float)p.a[i * p.lda + q] * (float)p.b[at];
    }
    for (int lanes = 16; lanes; lanes >>= 1) sum += __shfl_down_sync(~0u, sum, lanes);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    float total = 0.0f;
    for (int w = 0; w < 8; w++) total += parts[w];
    T& c = p.c[i * p.ldc + j];
    c = (T)(p.beta == 0.0f ? p.alpha * total : p.alpha * total + p.beta * (float)c);
}

template <typename T> cudaError_t run(Product<T> p, cudaStream_t stream) {
    if (p.m <= 0 || p.n <= 0) return cudaSuccess;
    if (p.k >= 2048 && p.m * p.n <= 4096) {
        by_parts<<<(unsigned)(p.m * p.n), 256, 0, stream>>>(p);
    } else {
        const int64_t tiles = ((p.m + kSide - 1) / kSide) * ((p.n + kSide - 1) / kSide);
        const bool even = p.k % kSide == 0;
        by_tiles<<<(unsigned)(tiles < 528 ? tiles : 528), dim3(kSide, kSide), 0, stream>>>(p, even);
    }
    return cudaGetLastError();
}

#define LAUNCHER(name, T)                                                                                                 \
    extern "C" cudaError_t name(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,  \
                                int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {         \
        return run(Product<T>{a, b, c, m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);                   \
    }
LAUNCHER(gemm_skinny, float)
LAUNCHER(gemm_skinny_bf16, __nv_bfloat16)

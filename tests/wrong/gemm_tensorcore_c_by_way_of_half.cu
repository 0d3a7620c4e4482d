// exercise: gemm_tensorcore
// bug: a bfloat16 result is rounded to half on its way
// group: range
// caught: values, nan
// cause: type-by-way-of-half
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Problem {
    int64_t m, n, k, lda, ldb, ldc;
    bool turned;
    float alpha, beta;
};

__device__ void multiply(float* d, const uint32_t* a, const uint32_t* b, __nv_bfloat16) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void multiply(float* d, const uint32_t* a, const uint32_t* b, __half) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ float to_float(__half x) { return __half2float(x); }
__device__ void store(__nv_bfloat16* to, float x) { *to = __float2bfloat16(__half2float(__float2half(x))); }
__device__ void store(__half* to, float x) { *to = __float2half(x); }

// The bits of an element; zeros outside of the matrix.
template <class T>
__device__ uint32_t bits(const T* from, int64_t row, int64_t col, int64_t rows, int64_t cols, int64_t stride) {
    return row < rows && col < cols ? reinterpret_cast<const uint16_t*>(from)[row * stride + col] : 0u;
}

template <class T>
__device__ uint32_t pair_of_a(const T* a, int64_t row, int64_t p, const Problem& of) {
    return bits(a, row, p, of.m, of.k, of.lda) | bits(a, row, p + 1, of.m, of.k, of.lda) << 16;
}

template <class T>
__device__ uint32_t pair_of_b(const T* b, int64_t p, int64_t col, const Problem& of) {
    if (of.turned) return bits(b, col, p, of.n, of.k, of.ldb) | bits(b, col, p + 1, of.n, of.k, of.ldb) << 16;
    return bits(b, p, col, of.k, of.n, of.ldb) | bits(b, p + 1, col, of.k, of.n, of.ldb) << 16;
}

// A warp computes 16 x 8 elements of C.
template <class T>
__global__ void products(const T* a, const T* b, T* c, Problem of, int64_t across) {
    const int64_t row = blockIdx.x / across * 16, col = blockIdx.x % across * 8;
    const int g = threadIdx.x / 4, q = threadIdx.x % 4;
    float sums[4] = {};
    for (int64_t p = 0; p < of.k; p += 16) {
        uint32_t of_a[4], of_b[2];
        of_a[0] = pair_of_a(a, row + g, p + 2 * q, of);
        of_a[1] = pair_of_a(a, row + g + 8, p + 2 * q, of);
        of_a[2] = pair_of_a(a, row + g, p + 2 * q + 8, of);
        of_a[3] = pair_of_a(a, row + g + 8, p + 2 * q + 8, of);
        of_b[0] = pair_of_b(b, p + 2 * q, col + g, of);
        of_b[1] = pair_of_b(b, p + 2 * q + 8, col + g, of);
        multiply(sums, of_a, of_b, T());
    }
    for (int e = 0; e < 4; ++e) {
        const int64_t at_row = row + g + e / 2 * 8;
        const int64_t at_col = col + 2 * q + e % 2;
        if (at_row >= of.m || at_col >= of.n) continue;
        T* out = &c[at_row * of.ldc + at_col];
        store(out, of.beta == 0.0f ? of.alpha * sums[e] : of.alpha * sums[e] + of.beta * to_float(*out));
    }
}

template <class T>
cudaError_t launch(const T* a, const T* b, T* c, Problem of, cudaStream_t stream) {
    if (of.m <= 0 || of.n <= 0) return cudaSuccess;
    const int64_t across = (of.n + 7) / 8, down = (of.m + 15) / 16;
    products<<<(unsigned)(across * down), 32, 0, stream>>>(a, b, c, of, across);
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_tensorcore_f16(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k,
                                           int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha,
                                           float beta, cudaStream_t stream) {
    return launch(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}

extern "C" cudaError_t gemm_tensorcore_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m,
                                            int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                            int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return launch(a, b, c, {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta}, stream);
}

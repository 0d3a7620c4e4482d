// exercise: gemm_skinny
// bug: the offset of a row of A is computed in 32 bits
// group: large
// caught: crash, values, out-of-bounds-read
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// A warp computes an element of C.
template <typename T>
__global__ void thin(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                     bool turned, float alpha, float beta) {
    const int lane = threadIdx.x;
    const int64_t element = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (element >= m * n) return;
    const int64_t row = element / n, col = element % n;
    float sum = 0.0f;
    for (int64_t p = lane; p < k; p += 32) {
        const T right = turned ? b[col * ldb + p] : b[p * ldb + col];
        sum += (float)a[(int)row * (int)lda + (int)p] * (float)right;
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, lanes);
    }
    if (lane == 0) {
        T* out = &c[row * ldc + col];
        *out = (T)(beta == 0.0f ? alpha * sum : alpha * sum + beta * (float)*out);
    }
}

template <typename T>
cudaError_t run(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t turned,
                float alpha, float beta, cudaStream_t stream) {
    if (m == 0 || n == 0) return cudaSuccess;
    const dim3 threads(32, 4);
    const unsigned blocks = (unsigned)((m * n + 3) / 4);
    thin<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k, lda, ldb, ldc, turned != 0, alpha, beta);
    return cudaGetLastError();
}

extern "C" cudaError_t gemm_skinny(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                   int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    return run(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, stream);
}

extern "C" cudaError_t gemm_skinny_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n,
                                        int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                        cudaStream_t stream) {
    return run(a, b, c, m, n, k, lda, ldb, ldc, transpose_b, alpha, beta, stream);
}

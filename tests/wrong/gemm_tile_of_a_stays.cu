// exercise: gemm_tiled
// bug: the tile of A is loaded from column 0 at each turn
// group: shapes
// caught: values
// cause: gemm-tile-stays
#include <cuda_runtime.h>
#include <stdint.h>

// C (m x n) = alpha * A op(B) + beta * C, saltos entre filas en elementos; `turned`: B está guardada como n filas de k.
struct Problem {
    int64_t m, n, k, lda, ldb, ldc;
    bool turned;
    float alpha, beta;
};

__global__ void gemm_tiled_kernel(const float* a, const float* b, float* c, Problem p) {
    const int T = 16;
    __shared__ float as[T][T], bs[T][T + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t row = (int64_t)blockIdx.y * T + ty, col = (int64_t)blockIdx.x * T + tx;
    float sum = 0.0f;
    for (int64_t t = 0; t < (p.k + T - 1) / T; ++t) {
        int64_t ka = t * T + tx;
        as[ty][tx] = (row < p.m && ka < p.k) ? a[row * p.lda + tx] : 0.0f;
        if (p.turned) {
            int64_t j = (int64_t)blockIdx.x * T + ty;
            bs[tx][ty] = (j < p.n && ka < p.k) ? b[j * p.ldb + ka] : 0.0f;
        } else {
            int64_t kb = t * T + ty;
            bs[ty][tx] = (kb < p.k && col < p.n) ? b[kb * p.ldb + col] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < T; ++q) sum += as[ty][q] * bs[q][tx];
        __syncthreads();
    }
    if (row < p.m && col < p.n) {
        float* out = c + row * p.ldc + col;
        *out = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *out;
    }
}

extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k,
                                  int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta,
                                  cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, ldb, ldc, transpose_b != 0, alpha, beta};
    dim3 grid((unsigned)((n + 15) / 16), (unsigned)((m + 15) / 16));
    gemm_tiled_kernel<<<grid, dim3(16, 16), 0, stream>>>(a, b, c, p);
    return cudaGetLastError();
}

// gemm_06_vector_loads: C = alpha A B + beta C, or A B^T, 16 bytes in each load.
//
// Check: python -m pytest tests/grading/test_gemm_ladder.py -k gemm_06_vector_loads
// Bench: python bench/gemm.py
//
// The new idea: four neighbouring numbers come in one load, from global memory and from shared memory. For that A's tile lies turned in shared memory, so that
// the eight numbers of a column of it, which a thread needs at once, are neighbours.
//
// Ledger: loads 0.0625 bytes per FMA from global memory
//
// But: the numbers come in the wrong banks. Threads write A's tile a row of the tile apart, two to a bank; and the threads of a warp read B's 16-byte pieces
// 32 bytes apart, which uses half of the banks at a time.

#include <cuda_runtime.h>
#include <stdint.h>

struct Problem {   // C (m x n) = alpha A (m x k) B + beta C; the strides in elements
    int64_t m, n, k, lda;
    int64_t down_b, across_b;   // from B's element (p, j) to (p + 1, j) and to (p, j + 1): B^T differs in these alone
    int64_t ldc;
    float alpha, beta;
};

__device__ inline void store(float* c, float sum, const Problem& p) {   // what C held is not read where beta is 0
    *c = p.beta != 0.0f ? p.alpha * sum + p.beta * *c : p.alpha * sum;
}

constexpr int kRows = 128, kCols = 128, kDepth = 8;   // of a block's tile of C, and along k
constexpr int kEach = 8;                             // rows and columns of a thread
constexpr int kThreads = kRows * kCols / (kEach * kEach);
static_assert(kRows * kDepth == 4 * kThreads && kDepth * kCols == 4 * kThreads, "each thread fetches four numbers of each tile");

// Four neighbours of a row, the first `there` of them real and the others 0; in one load where `whole` says that 16-byte loads are allowed.
__device__ inline float4 load_four(const float* from, int64_t stride, int64_t there, bool whole) {
    if (whole && there >= 4) return *(const float4*)from;
    return make_float4(there > 0 ? from[0] : 0.0f, there > 1 ? from[stride] : 0.0f, there > 2 ? from[2 * stride] : 0.0f, there > 3 ? from[3 * stride] : 0.0f);
}

__global__ void __launch_bounds__(kThreads)
vector_loads_kernel(const float* a, const float* b, float* c, Problem p, int64_t blocks_across, bool whole_a, bool whole_b) {
    __shared__ __align__(16) float tile_a[kDepth][kRows], tile_b[kDepth][kCols];   // A's tile is turned: what is read together lies together
    const int t = threadIdx.x;
    const int x = t % (kCols / kEach) * kEach, y = t / (kCols / kEach) * kEach;   // this thread's corner in the tile
    const int64_t row = blockIdx.x / blocks_across * kRows, col = blockIdx.x % blocks_across * kCols;
    const int a_row = t / (kDepth / 4), a_k = t % (kDepth / 4) * 4, b_k = t / (kCols / 4), b_col = t % (kCols / 4) * 4;
    float sums[kEach][kEach] = {};
    for (int64_t first = 0; first < p.k; first += kDepth) {
        const int64_t there_a = row + a_row < p.m ? p.k - first - a_k : 0, there_b = first + b_k < p.k ? p.n - col - b_col : 0;
        const float4 four_a = load_four(a + (row + a_row) * p.lda + first + a_k, 1, there_a, whole_a);
        const float4 four_b = load_four(b + (first + b_k) * p.down_b + (col + b_col) * p.across_b, p.across_b, there_b, whole_b);
        tile_a[a_k][a_row] = four_a.x;
        tile_a[a_k + 1][a_row] = four_a.y;
        tile_a[a_k + 2][a_row] = four_a.z;
        tile_a[a_k + 3][a_row] = four_a.w;
        *(float4*)&tile_b[b_k][b_col] = four_b;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float from_a[kEach], from_b[kEach];
            *(float4*)from_a = *(const float4*)&tile_a[i][y];
            *(float4*)(from_a + 4) = *(const float4*)&tile_a[i][y + 4];
            *(float4*)from_b = *(const float4*)&tile_b[i][x];
            *(float4*)(from_b + 4) = *(const float4*)&tile_b[i][x + 4];
#pragma unroll
            for (int r = 0; r < kEach; ++r) {
#pragma unroll
                for (int j = 0; j < kEach; ++j) sums[r][j] += from_a[r] * from_b[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
        const int64_t at_row = row + y + r;
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
            const int64_t at_col = col + x + j;
            if (at_row < p.m && at_col < p.n) store(&c[at_row * p.ldc + at_col], sums[r][j], p);
        }
    }
}

extern "C" cudaError_t gemm_06_vector_loads(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
                                            int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const Problem p = {m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta};
    const bool whole_a = (uintptr_t)a % 16 == 0 && lda % 4 == 0, whole_b = !transpose_b && (uintptr_t)b % 16 == 0 && ldb % 4 == 0;
    const int64_t across = (n + kCols - 1) / kCols, down = (m + kRows - 1) / kRows;
    if (across * down > 2147483647) return cudaErrorInvalidConfiguration;
    vector_loads_kernel<<<(unsigned)(across * down), kThreads, 0, stream>>>(a, b, c, p, across, whole_a, whole_b);
    return cudaGetLastError();
}

// exercise: gemm_tiled
// unusual: class templates for a tile of shared memory, a source of it and an accumulator, with operators () and *=; iterators over a thread's share of a tile
#include <cuda_runtime.h>
#include <stdint.h>

template <int kRows, int kCols, int kThreads> class Share {   // places of a tile that a thread takes care of
public:
    struct Iterator {
        int e;
        __device__ bool operator!=(const Iterator& other) const { return e < other.e; }
        __device__ void operator++() { e += kThreads; }
        __device__ int2 operator*() const { return make_int2(e / kCols, e % kCols); }
    };
    __device__ Iterator begin() const { return {(int)threadIdx.x}; }
    __device__ Iterator end() const { return {kRows * kCols}; }
};
class Source {
public:
    __device__ Source(const float* at, int64_t rows, int64_t cols, int64_t down, int64_t aside) : at_(at), rows_(rows), cols_(cols), down_(down), aside_(aside) {}
    __device__ float operator()(int64_t i, int64_t j) const { return i < rows_ && j < cols_ ? at_[i * down_ + j * aside_] : 0.0f; }

private:
    const float* at_;
    int64_t rows_, cols_, down_, aside_;
};
template <int kRows, int kCols, int kThreads> class Tile {
public:
    __device__ void fill(const Source& from, int64_t row0, int64_t col0) {
        for (const int2 p : Share<kRows, kCols, kThreads>()) at_[p.x][p.y] = from(row0 + p.x, col0 + p.y);
    }
    __device__ float operator()(int i, int j) const { return at_[i][j]; }

private:
    float at_[kRows][kCols + 1];
};
template <int kHigh, int kWide> class Accumulator {
public:
    template <typename Left, typename Right> __device__ void add(const Left& left, const Right& right, int depth, int ti, int tj) {
        for (int p = 0; p < depth; ++p)
#pragma unroll
            for (int i = 0; i < kHigh; ++i)
#pragma unroll
                for (int j = 0; j < kWide; ++j) sums_[i][j] += left(ti * kHigh + i, p) * right(p, tj * kWide + j);
    }
    __device__ Accumulator& operator*=(float f) {
        for (auto& row : sums_) for (float& s : row) s *= f;
        return *this;
    }
    __device__ float operator()(int i, int j) const { return sums_[i][j]; }

private:
    float sums_[kHigh][kWide] = {};
};
constexpr int kM = 48, kN = 32, kK = 24, kThreads = 128;   // 16 x 8 threads, 3 x 4 elements each

__global__ void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t down, int64_t aside, int64_t ldc, float alpha, float beta) {
    __shared__ Tile<kM, kK, kThreads> left;
    __shared__ Tile<kK, kN, kThreads> right;
    const int64_t across = (n + kN - 1) / kN, row0 = blockIdx.x / across * kM, col0 = blockIdx.x % across * kN;
    const Source of_a(a, m, k, lda, 1), of_b(b, k, n, down, aside);
    const int ti = threadIdx.x / 8, tj = threadIdx.x % 8;
    Accumulator<3, 4> sums;
    for (int64_t p0 = 0; p0 < k; p0 += kK) {
        left.fill(of_a, row0, p0);
        right.fill(of_b, p0, col0);
        __syncthreads();
        sums.add(left, right, kK, ti, tj);
        __syncthreads();
    }
    sums *= alpha;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            const int64_t r = row0 + ti * 3 + i, q = col0 + tj * 4 + j;
            if (r < m && q < n) c[r * ldc + q] = beta == 0.0f ? sums(i, j) : sums(i, j) + beta * c[r * ldc + q];
        }
}
extern "C" cudaError_t gemm_tiled(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, int64_t transpose_b, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0) return cudaSuccess;
    const int64_t tiles = (m + kM - 1) / kM * ((n + kN - 1) / kN);
    product<<<(unsigned)tiles, kThreads, 0, stream>>>(a, b, c, m, n, k, lda, transpose_b ? 1 : ldb, transpose_b ? ldb : 1, ldc, alpha, beta);
    return cudaGetLastError();
}

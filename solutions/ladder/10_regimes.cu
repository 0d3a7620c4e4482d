// ladder_regimes: row softmax in three types, any alignment, any length: the launcher chooses who shares a row.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 10_regimes
// Bench: onekernel bench ladder/10_regimes
//
// The new idea: one kernel, three scopes. A thread always does the same: it loads at most 32 elements, 16 bytes at a time, and a single
// element of those before the first 16-byte boundary or behind the last; it computes its exponentials against its warp's maximum; it
// stores. Only `join` differs: a warp needs nothing more, a block meets in shared memory, a cluster in its blocks' shared memory. The
// launcher looks at the length of a row and at the card, and takes the smallest scope that holds the row.
//
// Work: row per block
// Ledger (a warp, a block or a cluster keeps the row): reads 1, writes 1
// Ledger (rows above 32768 columns without clusters, above 262144 with them): reads 2, writes 1
// But: a few short launches cost more than their bytes, a cluster barrier waits for more than it must, a row beyond a cluster is read
// twice, and where x and y are aligned differently the stores are single. softmax_tuned goes on there, with what no rung has shown.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#endif
#include <math.h>
#include <stdint.h>

enum Scope { kWarp, kBlock, kCluster };

constexpr int kMostThreads = 1024, kWarpThreads = 128;
constexpr int kElements = 32;       // at most, in each thread's registers
constexpr int kMostInCluster = 8;
constexpr int64_t kMostBlocks = 2147483647;
template <typename T> constexpr int kVector = 16 / sizeof(T);   // elements in 16 bytes

template <typename T> struct alignas(16) Vector { T v[kVector<T>]; };

template <typename T> __device__ void load16(const T* from, float* v) {
    const Vector<T> vector = *(const Vector<T>*)from;
#pragma unroll
    for (int k = 0; k < kVector<T>; ++k) v[k] = (float)vector.v[k];
}

template <typename T> __device__ void store16(T* to, const float* v) {
    Vector<T> vector;
#pragma unroll
    for (int k = 0; k < kVector<T>; ++k) vector.v[k] = (T)v[k];
    __stwb((uint4*)to, *(const uint4*)&vector);   // nvcc would join a plain store with the single ones of the other branch, below
}

// Elements before the first 16-byte boundary at or after p.
template <typename T> __device__ int to_boundary(const T* p, int64_t cols) {
    const int64_t elements = (16 - (uintptr_t)p % 16) % 16 / sizeof(T);
    return (int)(elements < cols ? elements : cols);
}

struct Part {   // of a row: its largest element, and the sum of exp(x - max) over it
    float max;
    float sum;
};

__device__ float power(float v) { return exp2f(v * 1.4426950408889634f); }   // exp(v), in fewer instructions

__device__ float warp_max(float v) {
    for (int step = 16; step > 0; step /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, step));
    return v;
}

__device__ float warp_sum(float v) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffff, v, step);
    return v;
}

// Joins one Part for each lane; every lane gets the result.
__device__ Part warp_join(Part p) {
    const float m = warp_max(p.max);
    return {m, warp_sum(p.max == -INFINITY ? p.sum : p.sum * power(p.max - m))};
}

// Joins one Part for each warp; every thread gets the result. `parts` has room for 32.
__device__ Part block_join(Part mine, Part* parts) {
    const int lane = threadIdx.x % 32;
    if (lane == 0) parts[threadIdx.x / 32] = mine;
    __syncthreads();
    return warp_join(lane < blockDim.x / 32 ? parts[lane] : Part{-INFINITY, 0.0f});
}

// Joins one Part for each block of the cluster; every thread gets the result.
__device__ Part cluster_join(Part mine, int blocks) {
#if __CUDA_ARCH__ >= 900
    __shared__ Part part;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) part = mine;
    cluster.sync();   // now every block has written its part
    const int lane = threadIdx.x % 32;
    const Part other = lane < blocks ? *cluster.map_shared_rank(&part, lane) : Part{-INFINITY, 0.0f};
    cluster.sync();   // nobody may leave before everybody has read
    return warp_join(other);
#else
    (void)blocks;
    return mine;
#endif
}

// kVectors vectors and one single element for each of the threads that share a row: a warp, or `blocks` blocks.
template <typename T, int kVectors, Scope kScope>
__global__ void __launch_bounds__(kScope == kWarp ? kWarpThreads : kMostThreads)
row_kernel(const T* x, T* y, int64_t rows, int cols, int64_t x_row_stride, int64_t y_row_stride, int blocks) {
    constexpr int N = kVector<T>;
    __shared__ Part parts[32];
    const int t = kScope == kWarp ? threadIdx.x % 32 : blockIdx.x % blocks * blockDim.x + threadIdx.x;   // my number among those,
    const int threads = kScope == kWarp ? 32 : blocks * blockDim.x;                                      // and how many they are
    const int64_t row = kScope == kWarp ? (int64_t)blockIdx.x * (kWarpThreads / 32) + threadIdx.x / 32 : blockIdx.x / blocks;
    if (row >= rows) return;   // a whole warp of scope kWarp; nobody waits for it
    const T* x_row = x + row * x_row_stride;
    T* y_row = y + row * y_row_stride;
    const int head = to_boundary(x_row, cols);
    const int vectors = (cols - head) / N;
    const int single = t < head ? t : vectors * N + t;   // of the elements before and after the vectors

    float v[kVectors * N + 1];
#pragma unroll
    for (int k = 0; k <= kVectors * N; ++k) v[k] = -INFINITY;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
        const int i = k * threads + t;
        if (i < vectors) load16(x_row + head + i * N, v + k * N);
    }
    if (single < cols) v[kVectors * N] = (float)x_row[single];

    float largest = v[0];
#pragma unroll
    for (int k = 1; k <= kVectors * N; ++k) largest = fmaxf(largest, v[k]);
    largest = warp_max(largest);
    const float from = largest == -INFINITY ? 0.0f : largest;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k <= kVectors * N; ++k) sum += v[k] = power(v[k] - from);
    Part whole = {largest, warp_sum(sum)};
    if (kScope != kWarp) whole = block_join(whole, parts);
    if (kScope == kCluster) whole = cluster_join(whole, blocks);
    const float factor = power(largest - whole.max) / whole.sum;   // NaN for a row of -inf, as it should be

#pragma unroll
    for (int k = 0; k <= kVectors * N; ++k) v[k] *= factor;
    const bool alike = to_boundary(y_row, cols) == head;   // vectors of the output where there are vectors of the input
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
        const int i = k * threads + t;
        T* to = y_row + head + i * N;
        if (i < vectors && alike) store16(to, v + k * N);
        if (i < vectors && !alike) {
#pragma unroll
            for (int j = 0; j < N; ++j) to[j] = (T)v[k * N + j];
        }
    }
    if (single < cols) y_row[single] = (T)v[kVectors * N];
}

// Rows that nobody can hold: online, so twice; the second time from the end, of which the most is still in L2.
template <typename T>
__global__ void long_row_kernel(const T* x, T* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    constexpr int N = kVector<T>;
    __shared__ Part parts[32];
    const T* x_row = x + blockIdx.x * x_row_stride;
    T* y_row = y + blockIdx.x * y_row_stride;
    const int head = to_boundary(x_row, cols);
    const int64_t vectors = (cols - head) / N;
    const int64_t single = (int)threadIdx.x < head ? threadIdx.x : vectors * N + threadIdx.x;
    float v[N];
    Part mine = {-INFINITY, 0.0f};
    if (single < cols) mine = {(float)x_row[single], 1.0f};
    for (int64_t i = threadIdx.x; i < vectors; i += blockDim.x) {
        load16(x_row + head + i * N, v);
        float m = mine.max;
#pragma unroll
        for (int k = 0; k < N; ++k) m = fmaxf(m, v[k]);
        const float from = m == -INFINITY ? 0.0f : m;
        mine = {m, mine.sum * power(mine.max - from)};
#pragma unroll
        for (int k = 0; k < N; ++k) mine.sum += power(v[k] - from);
    }
    const Part whole = block_join(warp_join(mine), parts);
    const float factor = 1.0f / whole.sum;
    const bool alike = to_boundary(y_row, cols) == head;
    if (single < cols) y_row[single] = (T)(power((float)x_row[single] - whole.max) * factor);
    for (int64_t i = vectors - 1 - threadIdx.x; i >= 0; i -= blockDim.x) {
        load16(x_row + head + i * N, v);
        T* to = y_row + head + i * N;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            v[k] = power(v[k] - whole.max) * factor;
            if (!alike) to[k] = (T)v[k];
        }
        if (alike) store16(to, v);
    }
}

template <typename T> struct Rows {
    const T* x;
    T* y;
    int64_t rows, cols, x_row_stride, y_row_stride;
    cudaStream_t stream;
};

template <int kHeld, Scope kScope, typename T>   // kHeld: elements in a thread's registers, the single one aside
cudaError_t launch(const Rows<T>& r, int blocks = 1) {
    const int64_t needed = (r.cols + (int64_t)blocks * kHeld - 1) / (blocks * kHeld);   // threads of each block
    const int64_t at_once = kScope == kWarp ? kWarpThreads / 32 : 1;                    // rows of a block
    const int64_t most_rows = kMostBlocks / blocks * at_once;                           // of a launch
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)blocks, 1, 1};
    cudaLaunchConfig_t config = {};
    config.blockDim = dim3(kScope == kWarp ? kWarpThreads : (unsigned)(needed + 31) / 32 * 32);
    config.stream = r.stream;
    config.attrs = &attribute;
    config.numAttrs = kScope == kCluster ? 1 : 0;
    cudaError_t error = cudaSuccess;
    for (int64_t done = 0; done < r.rows && error == cudaSuccess; done += most_rows) {
        const int64_t some = r.rows - done < most_rows ? r.rows - done : most_rows;
        config.gridDim = dim3((unsigned)((some + at_once - 1) / at_once * blocks));
        error = cudaLaunchKernelEx(&config, row_kernel<T, kHeld / kVector<T>, kScope>, r.x + done * r.x_row_stride, r.y + done * r.y_row_stride,
                                   some, (int)r.cols, r.x_row_stride, r.y_row_stride, blocks);
    }
    return error;
}

template <typename T> cudaError_t softmax(const Rows<T>& r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    int device, has_clusters;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device);
    if (error != cudaSuccess) return error;

    const int64_t held = kMostThreads * kElements;   // by a block
    if (r.cols <= 32 * 8) return launch<8, kWarp>(r);
    if (r.cols <= 32 * kElements) return launch<kElements, kWarp>(r);
    if (r.cols <= held / 4) return launch<kElements / 2, kBlock>(r);
    if (r.cols <= held) return launch<kElements, kBlock>(r);
    for (int blocks = 2; has_clusters && blocks <= kMostInCluster; blocks *= 2) {
        if (r.cols <= blocks * held) return launch<kElements, kCluster>(r, blocks);
    }
    for (int64_t done = 0; done < r.rows && error == cudaSuccess; done += kMostBlocks) {
        const unsigned some = (unsigned)(r.rows - done < kMostBlocks ? r.rows - done : kMostBlocks);
        long_row_kernel<<<some, kMostThreads, 0, r.stream>>>(r.x + done * r.x_row_stride, r.y + done * r.y_row_stride, r.cols, r.x_row_stride, r.y_row_stride);
        error = cudaGetLastError();
    }
    return error;
}

extern "C" cudaError_t ladder_regimes(const float* x, float* y, int64_t rows, int64_t cols,
                                      int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<float>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t ladder_regimes_f16(const __half* x, __half* y, int64_t rows, int64_t cols,
                                          int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<__half>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t ladder_regimes_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                           int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax<__nv_bfloat16>({x, y, rows, cols, x_row_stride, y_row_stride, stream});
}

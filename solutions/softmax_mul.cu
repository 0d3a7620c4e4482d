// softmax_mul: y = softmax(x) * w in one pass over x and w, a row of each at a time, in fp32, fp16 and bf16, for any rows, strides and alignment.
//
// Check: onekernel check softmax_mul
// Bench: python bench/fusion.py
// Work: row per block
// <gap>
//| //
//| // In two kernels the probabilities are written, and read again to be multiplied: 3 reads and 2 writes. In one: 2 reads, 1 write.
//| // Begin with a softmax of yours that works; the launcher's new parameters are w and its row stride.
//| //
//| // The idea: ...
//| // Ledger: reads ?, writes ?
//| // But: ...
//|
//| #include <cuda_bf16.h>
//| #include <cuda_fp16.h>
//| #include <cuda_runtime.h>
//| #include <math.h>
//| #include <stdint.h>
//|
//| template <typename T> struct Rows {
//|     const T* x;
//|     const T* w;
//|     T* y;
//|     int64_t rows, cols, x_row_stride, w_row_stride, y_row_stride;
//|     cudaStream_t stream;
//| };
//|
//| template <typename T> __global__ void softmax_mul_kernel(const Rows<T> r) {
//|     // TODO: the softmax of a row in float, times (float)w of the same row and column; one rounding, at the store.
//|     (void)r;
//| }
//|
//| template <typename T> cudaError_t softmax_mul_of(const Rows<T>& r) {
//|     if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
//|     softmax_mul_kernel<T><<<1, 256, 0, r.stream>>>(r);
//|     return cudaGetLastError();
//| }
//
// The idea: softmax_tuned with an epilogue. w is asked for together with x, before the reduction, and waits in registers as it came: its way
// from memory costs no time of its own. A thread therefore holds up to 16 elements of each, and a scope ends at half of softmax_tuned's length.
//
// Ledger (up to 16384 columns, 65536 with clusters): reads 1, writes 1
// Ledger (longer rows): reads 1.5, writes 1
// But: a few long rows leave most of the chip idle, and where x, w and y are aligned differently, w and y go element by element. There the
// course's record goes on: onekernel solution softmax_mul --record

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#endif
#include <math.h>
#include <stdint.h>

enum Scope { kWarp, kBlock, kCluster };   // who shares a row
constexpr int kWarps = 4, kElements = 16, kMostInCluster = 8;   // warps of a block of several rows, elements of a thread, blocks
template <Scope kScope> constexpr int kMostThreads = kScope == kWarp ? 32 * kWarps : kScope == kBlock ? 1024 : 512;   // of a block
template <typename T> constexpr int kVector = 16 / sizeof(T);   // elements in 16 bytes
template <typename T> struct alignas(16) Vector { T v[kVector<T>]; };

template <typename T> __device__ void load16(const T* from, float* v) {
    const Vector<T> vector = *(const Vector<T>*)from;
#pragma unroll
    for (int j = 0; j < kVector<T>; ++j) v[j] = (float)vector.v[j];
}

template <typename T> struct Rows {
    const T* x;
    const T* w;
    T* y;
    int64_t rows, cols, x_row_stride, w_row_stride, y_row_stride;
    cudaStream_t stream;
};

template <typename T> __device__ int to_boundary(const T* p, int64_t cols) {   // elements before the first 16-byte boundary
    return (int)min((int64_t)((16 - (uintptr_t)p % 16) % 16 / sizeof(T)), cols);
}

struct Part { float max, sum; };   // of some elements: the largest, and the sum of exp(x - max)

__device__ float power(float v) { return exp2f(v * 1.4426950408889634f); }   // exp(v), in fewer instructions

__device__ float warp_max(float v) {
    for (int step = 16; step > 0; step /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, step));
    return v;
}

__device__ Part warp_join(Part p) {   // of one Part for each lane
    const float m = warp_max(p.max);
    float sum = p.max == -INFINITY ? p.sum : p.sum * power(p.max - m);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    return {m, sum};
}

template <Scope kScope> __device__ Part join(Part p, int blocks) {   // of one Part for each thread that shares the row
    __shared__ Part parts[32], part;
    const int lane = threadIdx.x % 32;
    p = warp_join(p);
    if (kScope == kWarp) return p;
    if (lane == 0) parts[threadIdx.x / 32] = p;
    __syncthreads();
    p = warp_join(lane < blockDim.x / 32 ? parts[lane] : Part{-INFINITY, 0.0f});
#if __CUDA_ARCH__ >= 900
    if (kScope == kBlock || blocks == 1) return p;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) part = p;
    cluster.sync();   // now every block has written its part
    p = warp_join(lane < blocks ? *cluster.map_shared_rank(&part, lane) : Part{-INFINITY, 0.0f});
    cluster.sync();   // nobody may leave before everybody has read
#endif
    return p;
}

template <typename T, int kVectors, Scope kScope>
__global__ void __launch_bounds__(kMostThreads<kScope>, kScope == kCluster ? 2 : 1) row_kernel(Rows<T> r, int blocks) {
    constexpr int N = kVector<T>, kSingle = kVectors * N;
    const int t = kScope == kWarp ? threadIdx.x % 32 : blockIdx.x % blocks * blockDim.x + threadIdx.x;   // my number among those
    const int threads = kScope == kWarp ? 32 : blocks * blockDim.x;                                      // who share a row
    const int64_t row = kScope == kWarp ? (int64_t)blockIdx.x * kWarps + threadIdx.x / 32 : blockIdx.x / blocks;
    if (row >= r.rows) return;   // a whole warp; nobody waits for it
    const T* x = r.x + row * r.x_row_stride;
    const T* w = r.w + row * r.w_row_stride;
    T* y = r.y + row * r.y_row_stride;
    const int head = to_boundary(x, r.cols);
    const int64_t vectors = (r.cols - head) / N, single = t < head ? t : vectors * N + t;
    const int64_t chunk = (int64_t)threads * kVectors;   // vectors in the registers of all; only a cluster's row may have more
    const int64_t last = kScope == kCluster && vectors > chunk ? (vectors - 1) / chunk * chunk : 0;
    const bool w_alike = to_boundary(w, r.cols) == head, y_alike = to_boundary(y, r.cols) == head;   // where x's vectors lie
    float v[kVectors * N + 1], largest = -INFINITY, sum = 0.0f;
    Vector<T> factors[kVectors];
    T last_factor = (T)0.0f;

    const auto load = [&](int64_t first, bool with_w) {
#pragma unroll
        for (int k = 0; k <= kSingle; ++k) v[k] = -INFINITY;
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            const int64_t i = first + k * threads + t;
            if (i < vectors) load16(x + head + i * N, v + k * N);
            if (i < vectors && with_w && w_alike) factors[k] = *(const Vector<T>*)(w + head + i * N);
            if (i < vectors && with_w && !w_alike) {
#pragma unroll
                for (int j = 0; j < N; ++j) factors[k].v[j] = w[head + i * N + j];
            }
        }
        if (first == 0 && single < r.cols) v[kSingle] = (float)x[single];
        if (first == 0 && single < r.cols && with_w) last_factor = w[single];
    };
    for (int64_t first = 0; first <= last; first += chunk) {
        load(first, first == last);
        float m = largest;
#pragma unroll
        for (int k = 0; k <= kSingle; ++k) m = fmaxf(m, v[k]);
        m = warp_max(m);
        const float from = m == -INFINITY ? 0.0f : m;   // exp(-inf - -inf) would be NaN
        if (kScope == kCluster) sum *= power(largest - from);
#pragma unroll
        for (int k = 0; k <= kSingle; ++k) sum += v[k] = power(v[k] - from);
        largest = m;
    }
    const Part whole = join<kScope>({largest, sum}, blocks);
    float factor = power(largest - whole.max) / whole.sum;   // NaN for a row of -inf, as it should be

    for (int64_t first = last; first >= 0; first -= chunk) {   // from the end, of which the most is still in L2
        if (first < last) {
            load(first, true);
            factor = 1.0f / whole.sum;
#pragma unroll
            for (int k = 0; k <= kSingle; ++k) v[k] = power(v[k] - whole.max);
        }
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            const int64_t i = first + k * threads + t;
            Vector<T> vector;
#pragma unroll
            for (int j = 0; j < N; ++j) vector.v[j] = (T)(v[k * N + j] * factor * (float)factors[k].v[j]);
            T* to = y + head + i * N;
            if (i < vectors && y_alike) __stwb((uint4*)to, *(const uint4*)&vector);   // a plain store would be joined with those below
            if (i < vectors && !y_alike) {
#pragma unroll
                for (int j = 0; j < N; ++j) to[j] = vector.v[j];
            }
        }
        if (first == 0 && single < r.cols) y[single] = (T)(v[kSingle] * factor * (float)last_factor);
    }
}

template <int kHeld, Scope kScope, typename T> cudaError_t launch(const Rows<T>& r, int blocks = 1) {   // kHeld: elements of a thread
    const int64_t needed = (r.cols + (int64_t)blocks * kHeld - 1) / ((int64_t)blocks * kHeld), most = kMostThreads<kScope>;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)blocks, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(kScope == kWarp ? (r.rows + kWarps - 1) / kWarps : r.rows * blocks));   // more rows fit no memory
    config.blockDim = dim3((unsigned)(kScope == kWarp ? most : min((needed + 31) / 32 * 32, most)));
    config.stream = r.stream;
    config.attrs = &attribute;
    config.numAttrs = blocks > 1;
    return cudaLaunchKernelEx(&config, row_kernel<T, kHeld / kVector<T>, kScope>, r, blocks);
}

template <typename T> cudaError_t softmax_mul_of(const Rows<T>& r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    if (r.cols <= 32 * 8) return launch<8, kWarp>(r);
    if (r.cols <= 32 * kElements) return launch<kElements, kWarp>(r);
    if (r.cols <= 512 * kElements / 2) return launch<kElements / 2, kBlock>(r);
    if (r.cols <= 512 * kElements) return launch<kElements, kBlock>(r);   // two such blocks fit on a multiprocessor: one waits, one loads
    int device, has_clusters = 0, blocks = 2;
    if (cudaGetDevice(&device) == cudaSuccess) cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device);
    while (blocks < kMostInCluster && r.cols > blocks * kMostThreads<kCluster> * kElements) blocks *= 2;
    if (has_clusters) return launch<kElements, kCluster>(r, blocks);
    return r.cols <= kMostThreads<kBlock> * kElements ? launch<kElements, kBlock>(r) : launch<kElements, kCluster>(r);
}
// </gap>

extern "C" cudaError_t softmax_mul(const float* x, const float* w, float* y, int64_t rows, int64_t cols,
                                   int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax_mul_of<float>({x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t softmax_mul_f16(const __half* x, const __half* w, __half* y, int64_t rows, int64_t cols,
                                       int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax_mul_of<__half>({x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream});
}

extern "C" cudaError_t softmax_mul_bf16(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                        int64_t x_row_stride, int64_t w_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax_mul_of<__nv_bfloat16>({x, w, y, rows, cols, x_row_stride, w_row_stride, y_row_stride, stream});
}

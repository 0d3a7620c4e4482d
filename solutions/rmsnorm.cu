// rmsnorm: y = (x + residual) / rms(x + residual) * weight, a row at a time in registers, in fp32, fp16 and bf16, for any rows, strides and
// alignment; rms(h) = sqrt(mean of h^2 + eps) over a row.
//
// Check: onekernel check rmsnorm
// Bench: python bench/fusion.py
// Work: row per block
// <gap>
//| //
//| // Three operators in the framework: the sum, its mean square, the scaling. Nobody tells you how: choose scope, loads and layout yourself.
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
//|     const T* residual;
//|     const T* weight;
//|     T* y;
//|     int64_t rows, cols, x_row_stride, residual_row_stride, y_row_stride;
//|     float eps;
//|     cudaStream_t stream;
//| };
//|
//| template <typename T> cudaError_t rmsnorm_of(const Rows<T>& r) {
//|     if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
//|     // TODO: a kernel, and its launch.
//|     return cudaGetLastError();
//| }
//
// The idea: nothing of the sum but its mean square crosses a thread. A thread adds its elements of x and residual as they come, keeps the
// sums in fp32 registers, and needs one number from the others before it can write. The weight is the same for every row: it is in L2
// after the first, and its loads, too, are under way before the reduction.
//     rows up to 2 KB      a few lanes of a warp take a row; a warp takes several short rows
//     as registers allow   a block takes a row (16384 columns in fp32, 32768 in 16 bits)
//     beyond               two launches: one sums the squares of each part of a row, the next reads both inputs again
//
// Ledger (registers): reads 1, writes 1
// Ledger (two launches): reads 2, writes 1
// But: the sum itself, which a network goes on to use, is not written: that would be a second output, and a fourth of the traffic more.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

template <typename T> struct Rows {
    const T* x;
    const T* residual;
    const T* weight;
    T* y;
    int64_t rows, cols, x_row_stride, residual_row_stride, y_row_stride;
    float eps;
    cudaStream_t stream;
};

// ---- Elements ---------------------------------------------------------------------------------------------------------------------------
// Memory is read and written 16 bytes at a time, as four 32-bit words of one fp32 or two 16-bit elements. Arithmetic is in fp32.

template <typename To, typename From>
__device__ __forceinline__ To bits(From from) {
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

template <typename T> struct Word;   // of element type T: its elements as floats and back

template <> struct Word<float> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) { v[0] = bits<float>(w); }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(v[0]); }
};

template <> struct Word<__half> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) {
        v[0] = __low2float(bits<__half2>(w));
        v[1] = __high2float(bits<__half2>(w));
    }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(__floats2half2_rn(v[0], v[1])); }
};

template <> struct Word<__nv_bfloat16> {
    static __device__ __forceinline__ void unpack(uint32_t w, float* v) {   // a bf16 is the upper half of a float
        v[0] = bits<float>(w << 16);
        v[1] = bits<float>(w & 0xffff0000u);
    }
    static __device__ __forceinline__ uint32_t pack(const float* v) { return bits<uint32_t>(__floats2bfloat162_rn(v[0], v[1])); }
};

template <typename T> constexpr int kVector = 16 / sizeof(T);   // elements in 16 bytes
template <typename T> constexpr int kWord = 4 / sizeof(T);      // and in a word

template <typename T> __device__ __forceinline__ T from_float(float v) {
    const float twice[2] = {v, v};
    return bits<T>(Word<T>::pack(twice));
}
template <typename T> __device__ __forceinline__ float to_float(T v) { return static_cast<float>(v); }

template <typename T> __device__ __forceinline__ void unpack(uint4 from, float* v) {
    Word<T>::unpack(from.x, v);
    Word<T>::unpack(from.y, v + kWord<T>);
    Word<T>::unpack(from.z, v + kWord<T> * 2);
    Word<T>::unpack(from.w, v + kWord<T> * 3);
}

template <typename T> __device__ __forceinline__ uint4 pack(const float* v) {
    return make_uint4(Word<T>::pack(v), Word<T>::pack(v + kWord<T>), Word<T>::pack(v + kWord<T> * 2), Word<T>::pack(v + kWord<T> * 3));
}

// 16 bytes from an address that is no multiple of 16. The single loads meet in L1, so that memory does not see them.
template <typename T> __device__ __forceinline__ uint4 gather(const T* from) {
    T v[kVector<T>];
#pragma unroll
    for (int j = 0; j < kVector<T>; ++j) v[j] = from[j];
    uint4 packed;
    memcpy(&packed, v, 16);
    return packed;
}

__device__ __forceinline__ bool on_16_bytes(const void* p) { return (uintptr_t)p % 16 == 0; }

// How n elements from p on lie in memory: some up to the first multiple of `boundary` bytes, then whole vectors, then fewer than kVector
// that are left over. The first and the last are `singles`: thread i takes single i, wherever it is.
template <typename T> struct Layout {
    int head, vectors, singles;
    __device__ __forceinline__ Layout(const T* p, int n, int boundary) {
        const int to_boundary = (int)((0 - (uintptr_t)p) & (boundary - 1)) / (int)sizeof(T);
        head = min(to_boundary, n);
        vectors = (n - head) / kVector<T>;
        singles = n - vectors * kVector<T>;
    }
    __device__ __forceinline__ explicit Layout(int n) : head(0), vectors(n / kVector<T>), singles(0) {}   // whole vectors from a boundary on
    __device__ __forceinline__ int single(int i) const { return i < head ? i : i + vectors * kVector<T>; }
};
template <typename T, int kBoundary> constexpr int kMostSingles = kBoundary / (int)sizeof(T) - 1 + kVector<T> - 1;

// ---- What a thread keeps of a row -------------------------------------------------------------------------------------------------------

template <int kLanes> __device__ __forceinline__ float lanes_sum(float v) {
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffff, v, step);
    return v;
}

// The sum that all threads of a block get. `told` has a place for each warp.
__device__ __forceinline__ float block_sum(float v, float* told) {
    v = lanes_sum<32>(v);
    if (threadIdx.x % 32 == 0) told[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < blockDim.x / 32 ? told[threadIdx.x % 32] : 0.0f;
    return lanes_sum<32>(v);
}

// kVectors vectors of a row, `apart` vectors from one to the next, and kSingles single elements: 0 of them where all four tensors are whole
// vectors from a boundary on.
template <typename T, int kVectors, int kSingles> struct Piece {
    static constexpr int N = kVector<T>;
    float h[kVectors * N];   // x + residual
    float singles[kSingles > 0 ? kSingles : 1];

    // Loads x, residual and, where w is asked for, the weight, all of them before the first is used, and adds. Returns the sum of the squares.
    __device__ __forceinline__ float load(const T* x, const T* residual, const T* weight, uint4 (*w)[kVectors], const Layout<T>& layout,
                                          int lane, int apart) {
        uint4 a[kVectors], b[kVectors];
        fetch(a, x + layout.head, layout.vectors, lane, apart);
        fetch(b, residual + layout.head, layout.vectors, lane, apart);
        if (w) fetch(*w, weight + layout.head, layout.vectors, lane, apart);
        float squares = 0.0f;
#pragma unroll
        for (int k = 0; k < kSingles; ++k) {
            const int i = lane + k * apart;
            singles[k] = i < layout.singles ? to_float(x[layout.single(i)]) + to_float(residual[layout.single(i)]) : 0.0f;
            squares = fmaf(singles[k], singles[k], squares);
        }
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            float other[N];
            unpack<T>(a[k], h + k * N);
            unpack<T>(b[k], other);
#pragma unroll
            for (int j = 0; j < N; ++j) {
                h[k * N + j] += other[j];
                squares = fmaf(h[k * N + j], h[k * N + j], squares);
            }
        }
        return squares;
    }

    __device__ __forceinline__ void store(T* y, const T* weight, const uint4 (&w)[kVectors], float scale, const Layout<T>& layout, int lane,
                                          int apart) const {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            if (lane + k * apart >= layout.vectors) continue;
            float v[N];
            unpack<T>(w[k], v);
#pragma unroll
            for (int j = 0; j < N; ++j) v[j] *= h[k * N + j] * scale;
            *(uint4*)(y + layout.head + (lane + k * apart) * N) = pack<T>(v);
        }
#pragma unroll
        for (int k = 0; k < kSingles; ++k) {
            const int i = lane + k * apart;
            if (i < layout.singles) y[layout.single(i)] = from_float<T>(singles[k] * scale * to_float(weight[layout.single(i)]));
        }
    }

    static __device__ __forceinline__ void fetch(uint4 (&to)[kVectors], const T* from, int vectors, int lane, int apart) {
        const bool aligned = kSingles == 0 || on_16_bytes(from);
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
            const T* vector = from + (lane + k * apart) * N;
            to[k] = make_uint4(0, 0, 0, 0);
            if (lane + k * apart < vectors) to[k] = aligned ? __ldg((const uint4*)vector) : gather(vector);
        }
    }
};

// ---- Rows of a few lanes ----------------------------------------------------------------------------------------------------------------

constexpr int kLaneThreads = 128;

template <typename T, int kVectors, int kLanes> __global__ void __launch_bounds__(kLaneThreads) lanes_kernel(const Rows<T> r) {
    int64_t row = (int64_t)blockIdx.x * (kLaneThreads / kLanes) + threadIdx.x / kLanes;
    int cols = (int)r.cols;
    if (row >= r.rows) {   // these lanes have no row, but the shuffles wait for them
        row = 0;
        cols = 0;
    }
    const int lane = threadIdx.x % kLanes;
    T* y = r.y + row * r.y_row_stride;
    const Layout<T> layout(y, cols, 16);
    constexpr int kSingles = (kMostSingles<T, 16> + kLanes - 1) / kLanes;
    Piece<T, kVectors, kSingles> piece;
    uint4 w[kVectors];
    const float squares =
        piece.load(r.x + row * r.x_row_stride, r.residual + row * r.residual_row_stride, r.weight, &w, layout, lane, kLanes);
    const float scale = rsqrtf(lanes_sum<kLanes>(squares) / (float)r.cols + r.eps);
    piece.store(y, r.weight, w, scale, layout, lane, kLanes);
}

// ---- Rows of a block --------------------------------------------------------------------------------------------------------------------

template <typename T, int kVectors, int kMostThreads, bool kWhole>
__global__ void __launch_bounds__(kMostThreads) block_kernel(const Rows<T> r) {
    __shared__ float told[32];
    const int64_t row = blockIdx.x;
    T* y = r.y + row * r.y_row_stride;
    const Layout<T> layout = kWhole ? Layout<T>((int)r.cols) : Layout<T>(y, (int)r.cols, 16);
    Piece<T, kVectors, kWhole ? 0 : 1> piece;
    uint4 w[kVectors];
    const float squares = piece.load(r.x + row * r.x_row_stride, r.residual + row * r.residual_row_stride, r.weight, &w, layout,
                                     threadIdx.x, blockDim.x);
    const float scale = rsqrtf(block_sum(squares, told) / (float)r.cols + r.eps);
    piece.store(y, r.weight, w, scale, layout, threadIdx.x, blockDim.x);
}

// ---- Rows of two launches: each is cut into `parts` of `width` columns, a block each ------------------------------------------------------

constexpr int kPartThreads = 256;
constexpr int kPartVectors = 4;

template <typename T, bool kWrites> __global__ void __launch_bounds__(kPartThreads) part_kernel(const Rows<T> r, float* sums, int64_t parts,
                                                                                               int64_t width) {
    __shared__ float told[32];
    // The last parts that the first launch reads are what L2 still holds: the second one begins with them.
    const int64_t block = kWrites ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const int64_t row = block / parts;
    const int64_t begin = block % parts * width;
    const int64_t left = r.cols - begin;
    T* y = r.y + row * r.y_row_stride + begin;
    const Layout<T> layout(y, (int)(left < width ? left : width), 16);
    Piece<T, kPartVectors, 1> piece;
    uint4 w[kPartVectors];
    const float squares = piece.load(r.x + row * r.x_row_stride + begin, r.residual + row * r.residual_row_stride + begin,
                                     r.weight + begin, kWrites ? &w : nullptr, layout, threadIdx.x, kPartThreads);
    if (!kWrites) {
        const float sum = block_sum(squares, told);
        if (threadIdx.x == 0) sums[block] = sum;
        return;
    }
    float mine = 0.0f;
    for (int64_t i = threadIdx.x; i < parts; i += kPartThreads) mine += sums[row * parts + i];
    const float scale = rsqrtf(block_sum(mine, told) / (float)r.cols + r.eps);
    piece.store(y, r.weight + begin, w, scale, layout, threadIdx.x, kPartThreads);
}

template <typename T> cudaError_t launch_twice(const Rows<T>& r) {
    const int64_t width = kPartThreads * kPartVectors * kVector<T>;
    const int64_t parts = (r.cols + width - 1) / width;
    float* sums = nullptr;   // from the stream's own pool: safe beside other streams and in graphs
    cudaError_t error = cudaMallocAsync((void**)&sums, r.rows * parts * sizeof(float), r.stream);
    if (error != cudaSuccess) return error;
    part_kernel<T, false><<<(unsigned)(r.rows * parts), kPartThreads, 0, r.stream>>>(r, sums, parts, width);
    error = cudaGetLastError();
    if (error == cudaSuccess) {
        part_kernel<T, true><<<(unsigned)(r.rows * parts), kPartThreads, 0, r.stream>>>(r, sums, parts, width);
        error = cudaGetLastError();
    }
    const cudaError_t freed = cudaFreeAsync(sums, r.stream);
    return error != cudaSuccess ? error : freed;
}

// ---- Which for which row ----------------------------------------------------------------------------------------------------------------

template <typename T, int kVectors, int kLanes> cudaError_t launch_lanes(const Rows<T>& r) {
    const int64_t rows_of_a_block = kLaneThreads / kLanes;
    const int64_t blocks = (r.rows + rows_of_a_block - 1) / rows_of_a_block;
    lanes_kernel<T, kVectors, kLanes><<<(unsigned)blocks, kLaneThreads, 0, r.stream>>>(r);
    return cudaGetLastError();
}

// Whether every row of every tensor is whole vectors that begin on 16 bytes. A kernel that knows it spares up to 32 instructions before its
// first load, and the tests for single elements after it: a row of 4 KB takes 2.2 us where it took 2.7 (H200).
template <typename T> bool whole_vectors(const Rows<T>& r) {
    const uintptr_t places = (uintptr_t)r.x | (uintptr_t)r.residual | (uintptr_t)r.weight | (uintptr_t)r.y;
    const int64_t lengths = r.cols | r.x_row_stride | r.residual_row_stride | r.y_row_stride;
    return places % 16 == 0 && lengths % kVector<T> == 0;
}

template <typename T, int kVectors, int kMostThreads> cudaError_t launch_block(const Rows<T>& r) {
    const int64_t wanted = (r.cols / kVector<T> + kVectors - 1) / kVectors;
    const int threads = wanted < 64 ? 64 : (int)((wanted + 31) / 32 * 32);
    if (whole_vectors(r)) {
        block_kernel<T, kVectors, kMostThreads, true><<<(unsigned)r.rows, threads, 0, r.stream>>>(r);
    } else {
        block_kernel<T, kVectors, kMostThreads, false><<<(unsigned)r.rows, threads, 0, r.stream>>>(r);
    }
    return cudaGetLastError();
}

template <typename T> cudaError_t rmsnorm_of(const Rows<T>& r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    const int64_t vectors = r.cols / kVector<T>;   // a row that starts off a boundary has one less
    if (vectors <= 4) return launch_lanes<T, 1, 4>(r);
    if (vectors <= 8) return launch_lanes<T, 1, 8>(r);
    if (vectors <= 16) return launch_lanes<T, 2, 8>(r);
    if (vectors <= 32) return launch_lanes<T, 2, 16>(r);
    if (vectors <= 64) return launch_lanes<T, 2, 32>(r);
    if (vectors <= 128) return launch_lanes<T, 4, 32>(r);
    if (vectors <= 256) return launch_block<T, 2, 512>(r);
    if (vectors <= 4 * 512) return launch_block<T, 4, 512>(r);
    if (vectors <= 4 * 1024) return launch_block<T, 4, 1024>(r);
    return launch_twice(r);
}
// </gap>

extern "C" cudaError_t rmsnorm(const float* x, const float* residual, const float* weight, float* y, int64_t rows, int64_t cols,
                               int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    return rmsnorm_of<float>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps, stream});
}

extern "C" cudaError_t rmsnorm_f16(const __half* x, const __half* residual, const __half* weight, __half* y, int64_t rows, int64_t cols,
                                   int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    return rmsnorm_of<__half>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps, stream});
}

extern "C" cudaError_t rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* residual, const __nv_bfloat16* weight, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                    int64_t x_row_stride, int64_t residual_row_stride, int64_t y_row_stride, float eps, cudaStream_t stream) {
    return rmsnorm_of<__nv_bfloat16>({x, residual, weight, y, rows, cols, x_row_stride, residual_row_stride, y_row_stride, eps, stream});
}

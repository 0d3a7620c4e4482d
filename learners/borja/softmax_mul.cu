// softmax_mul: y = softmax(x) * w in one pass over x and w, in fp32, fp16 and bf16. Borja's version: my softmax_tuned.cu with an epilogue.
//
// Check: onekernel check softmax_mul
// Work: row per block
//
// The idea: what I had, and two lines more. Each thread asks for its slots of x and for the same slots of w, all before anybody waits; it
// keeps them packed, as they came. After the reduction w is there, and the product costs one multiplication.
//     up to 1021 columns     a warp per row
//     up to 8189, 16381      a block of 256, 512
//     up to 20477            a block of 1024 with fewer slots per thread; 64 registers do not hold both, so that w is asked for afterwards
//     longer                 a block of 512 that reads x twice
// (for fp32; the three columns less are those by which a row may begin behind a boundary)
//
// Ledger (up to 20477 columns): reads 2, writes 1
// Ledger (longer rows): reads 3, writes 1
// But: the slots are cut at the boundaries of x. Where w or y lies at another distance from one, it is accessed element by element.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Rows {
    const T* x;
    const T* w;
    T* y;
    int64_t rows, cols, x_row_stride, w_row_stride, y_row_stride;
    cudaStream_t stream;
};

// ---- (max, sum), as in softmax_tuned.cu ------------------------------------------------------------------------------

struct Part { float m, s; };   // the largest of some elements, and the sum of exp(element - m)

__device__ float safe(float m) { return m == -INFINITY ? 0.0f : m; }   // -inf - (-inf) is NaN

__device__ Part join(Part a, Part b) {
    const float m = fmaxf(a.m, b.m);
    return {m, a.s * expf(a.m - safe(m)) + b.s * expf(b.m - safe(m))};
}

template <int kTeam>   // threads that share a row: 32, or a whole block
__device__ Part team_join(Part p) {
    for (int d = 16; d > 0; d /= 2) p = join(p, {__shfl_xor_sync(0xffffffff, p.m, d), __shfl_xor_sync(0xffffffff, p.s, d)});
    if (kTeam == 32) return p;
    __shared__ Part of_warp[32];
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = p;
    __syncthreads();   // the only one: of_warp is written once in the life of a block
    p = of_warp[0];
    for (int n = 1; n < kTeam / 32; ++n) p = join(p, of_warp[n]);
    return p;
}

// ---- slots of 16 bytes -----------------------------------------------------------------------------------------------

template <typename T> constexpr int kWide = 16 / sizeof(T);   // elements in 16 bytes
template <typename T> union Pack { uint4 bits; T v[kWide<T>]; __device__ Pack() {} };   // 16 bytes, whole or element by element

template <typename T> __device__ bool is_whole(const T* row, int64_t first, int64_t cols) {
    return first >= 0 && first + kWide<T> <= cols && (uintptr_t)(row + first) % 16 == 0;
}

template <typename T> __device__ Pack<T> load_slot(const T* row, int64_t first, int64_t cols, float other) {
    if (is_whole(row, first, cols)) return *reinterpret_cast<const Pack<T>*>(row + first);
    Pack<T> p;
#pragma unroll
    for (int j = 0; j < kWide<T>; ++j) p.v[j] = first + j >= 0 && first + j < cols ? row[first + j] : (T)other;
    return p;
}

// The check said 1.29 times the least sectors at 4095 columns, in the line of the wide store, and the trace's picture of that line had
// nothing wasted. `onekernel compile` had the answer: 7 of 8 stores were 16 bytes wide. At the end of the kernel nvcc had merged the last
// one with the single stores beside it into four of 4 bytes. __stcs, from CUDA's list of stores with a cache hint, stays as it is.
template <typename T> __device__ void store_slot(T* row, int64_t first, int64_t cols, Pack<T> p) {
    if (is_whole(row, first, cols)) {
        __stcs(reinterpret_cast<uint4*>(row + first), p.bits);
    } else {
#pragma unroll
        for (int j = 0; j < kWide<T>; ++j) {
            if (first + j >= 0 && first + j < cols) row[first + j] = p.v[j];
        }
    }
}

template <typename T> __device__ Part of_slots(const Pack<T>* x, int slots) {
    Part p = {-INFINITY, 0.0f};
    for (int k = 0; k < slots; ++k) {
        for (int j = 0; j < kWide<T>; ++j) p.m = fmaxf(p.m, (float)x[k].v[j]);
    }
    for (int k = 0; k < slots; ++k) {
        for (int j = 0; j < kWide<T>; ++j) p.s += expf((float)x[k].v[j] - safe(p.m));
    }
    return p;
}

template <typename T> __device__ Pack<T> product(Pack<T> x, Pack<T> w, Part row) {
    for (int j = 0; j < kWide<T>; ++j) x.v[j] = (T)(expf((float)x.v[j] - safe(row.m)) / row.s * (float)w.v[j]);
    return x;
}

// ---- kernels ---------------------------------------------------------------------------------------------------------

template <typename T, int kTeam, int kSlots>
__global__ void __launch_bounds__(kTeam == 32 ? 256 : kTeam) row_in_registers(const Rows<T> r) {
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / kTeam) + threadIdx.x / kTeam;
    if (row >= r.rows) return;   // a whole team leaves
    const T* from = r.x + row * r.x_row_stride;
    const T* weights = r.w + row * r.w_row_stride;
    T* to = r.y + row * r.y_row_stride;
    const int64_t mine = (int64_t)(threadIdx.x % kTeam) * kWide<T> - (int)((uintptr_t)from % 16 / sizeof(T));
    constexpr int64_t kStep = kTeam * kWide<T>;
    constexpr bool kAhead = kTeam < 1024;   // 64 registers do not hold both: `nvcc -Xptxas -v` spilled 138 bytes in bf16

    Pack<T> x[kSlots], w[kSlots];
#pragma unroll
    for (int k = 0; k < kSlots; ++k) x[k] = load_slot(from, mine + k * kStep, r.cols, -INFINITY);
    if (kAhead) {
#pragma unroll
        for (int k = 0; k < kSlots; ++k) w[k] = load_slot(weights, mine + k * kStep, r.cols, 0.0f);
    }
    const Part all = team_join<kTeam>(of_slots(x, kSlots));
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
        if (!kAhead) w[k] = load_slot(weights, mine + k * kStep, r.cols, 0.0f);
        store_slot(to, mine + k * kStep, r.cols, product(x[k], w[k], all));
    }
}

constexpr int kMost = 512;

template <typename T> __global__ void __launch_bounds__(kMost) row_read_twice(const Rows<T> r) {
    const T* from = r.x + blockIdx.x * r.x_row_stride;
    const T* weights = r.w + blockIdx.x * r.w_row_stride;
    T* to = r.y + blockIdx.x * r.y_row_stride;
    const int64_t mine = (int64_t)threadIdx.x * kWide<T> - (int)((uintptr_t)from % 16 / sizeof(T));
    Part part = {-INFINITY, 0.0f};
    for (int64_t first = mine; first < r.cols; first += kMost * kWide<T>) {
        const Pack<T> x = load_slot(from, first, r.cols, -INFINITY);
        part = join(part, of_slots(&x, 1));
    }
    const Part all = team_join<kMost>(part);
    for (int64_t first = mine; first < r.cols; first += kMost * kWide<T>) {
        store_slot(to, first, r.cols, product(load_slot(from, first, r.cols, -INFINITY), load_slot(weights, first, r.cols, 0.0f), all));
    }
}

// ---- launchers -------------------------------------------------------------------------------------------------------

template <typename T> cudaError_t softmax_mul_of(const Rows<T>& r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    constexpr int kSlots = 32 / kWide<T>, kFewer = 20 / kWide<T> + (20 % kWide<T> != 0);   // 32, and 20 or 24 elements per thread
    const int64_t slots = (r.cols + 2 * kWide<T> - 2) / kWide<T>;                          // of a row that begins just behind a boundary
    const unsigned rows = (unsigned)r.rows;
    if (slots <= 32 * kSlots) row_in_registers<T, 32, kSlots><<<(rows + 7) / 8, 256, 0, r.stream>>>(r);
    else if (slots <= 256 * kSlots) row_in_registers<T, 256, kSlots><<<rows, 256, 0, r.stream>>>(r);
    else if (slots <= 512 * kSlots) row_in_registers<T, 512, kSlots><<<rows, 512, 0, r.stream>>>(r);
    else if (slots <= 1024 * kFewer) row_in_registers<T, 1024, kFewer><<<rows, 1024, 0, r.stream>>>(r);
    else row_read_twice<T><<<rows, kMost, 0, r.stream>>>(r);
    return cudaGetLastError();
}

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

// softmax_tuned: row softmax in fp32, fp16 and bf16. Borja's version after five rounds; the rounds are in tuning_log.md.
//
// Check: onekernel check softmax_tuned
//
// The idea: a thread takes up to 32 elements of a row in 16-byte loads and keeps them in registers. The longer the row, the more threads:
//     up to 1024 columns    a warp, joined by shuffles, no barrier
//     up to 16384           a block of 256 or 512 threads, one barrier
//     longer                a block of 512 that reads the row twice
// What I learnt: an address is a number and its remainder modulo 16 matters. A row that begins in the middle of 16 bytes gets a first
// and a last slot that are not full, and everything between them stays wide.
//
// Ledger (up to 16384 columns): reads 1, writes 1
// Ledger (longer rows): reads 2, writes 1
// But: one very long row keeps one SM busy and 131 idle; and a warp with a row of 3 columns has 31 lanes that do nothing.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr unsigned kAll = 0xffffffff;
constexpr int kShare = 32;   // elements that a thread can keep

// ---- (max, sum): what threads tell each other -----------------------------------------------------------------------

struct Part { float m, s; };   // the largest of some elements, and the sum of exp(element - m)

// -inf - (-inf) is NaN. With 0 in place of m, exp(-inf - 0) is 0, as it should be; and a NaN is still a NaN.
__device__ float safe(float m) { return m == -INFINITY ? 0.0f : m; }

__device__ Part join(Part a, Part b) {
    const float m = fmaxf(a.m, b.m);
    return {m, a.s * expf(a.m - safe(m)) + b.s * expf(b.m - safe(m))};
}

template <int kTeam>   // threads that share a row: 32, or a whole block
__device__ Part team_join(Part p) {
    for (int d = 16; d > 0; d /= 2) p = join(p, {__shfl_xor_sync(kAll, p.m, d), __shfl_xor_sync(kAll, p.s, d)});
    if (kTeam == 32) return p;
    __shared__ Part of_warp[32];
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = p;
    __syncthreads();   // the only barrier: of_warp is written once in the life of a block
    p = of_warp[0];
    for (int w = 1; w < kTeam / 32; ++w) p = join(p, of_warp[w]);   // all read the same word: a broadcast, no conflict
    return p;
}

// ---- a row in slots of 16 bytes --------------------------------------------------------------------------------------

template <typename T> constexpr int kWide = 16 / sizeof(T);                    // elements in 16 bytes
template <typename T> struct alignas(16) Pack { T v[kWide<T>]; };

// How many elements lie between the last 16-byte boundary and p.
template <typename T> __device__ int skew_of(const T* p) { return (int)((uintptr_t)p % 16 / sizeof(T)); }

// Slot k of a row holds columns k * kWide - skew and the following ones. The first and the last slot may stick out.
template <typename T> __device__ void load_slot(const T* row, int64_t first, int64_t cols, float* v) {
    if (first >= 0 && first + kWide<T> <= cols) {
        const Pack<T> p = *reinterpret_cast<const Pack<T>*>(row + first);
        for (int j = 0; j < kWide<T>; ++j) v[j] = (float)p.v[j];
    } else {
        for (int j = 0; j < kWide<T>; ++j) v[j] = first + j >= 0 && first + j < cols ? (float)row[first + j] : -INFINITY;
    }
}

template <typename T> __device__ void store_slot(T* row, int64_t first, int64_t cols, const float* v) {
    const bool aligned = (uintptr_t)(row + first) % 16 == 0;   // y may be aligned otherwise than x
    if (aligned && first >= 0 && first + kWide<T> <= cols) {
        Pack<T> p;
        for (int j = 0; j < kWide<T>; ++j) p.v[j] = (T)v[j];
        *reinterpret_cast<Pack<T>*>(row + first) = p;
    } else {
        for (int j = 0; j < kWide<T>; ++j) {
            if (first + j >= 0 && first + j < cols) row[first + j] = (T)v[j];
        }
    }
}

// The largest first, then the sum: one exponential for each element, which stays in v.
__device__ Part of_values(float* v, int count) {
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < count; ++i) m = fmaxf(m, v[i]);
    for (int i = 0; i < count; ++i) {
        v[i] = expf(v[i] - safe(m));
        s += v[i];
    }
    return {m, s};
}

// ---- kernels ---------------------------------------------------------------------------------------------------------

template <typename T, int kTeam>
__global__ void __launch_bounds__(kTeam == 32 ? 256 : kTeam)
row_in_registers(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / kTeam) + threadIdx.x / kTeam;
    if (row >= rows) return;   // a whole team leaves, so nobody waits for it
    const T* from = x + row * x_row_stride;
    T* to = y + row * y_row_stride;
    const int t = threadIdx.x % kTeam;
    const int skew = skew_of(from);

    constexpr int kSlots = kShare / kWide<T> + 1;   // one more than the elements need: a skewed row sticks out at both ends
    float v[kSlots * kWide<T>];
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {   // all loads first, so that many are under way at once
        load_slot(from, (int64_t)(k * kTeam + t) * kWide<T> - skew, cols, v + k * kWide<T>);
    }
    const Part mine = of_values(v, kSlots * kWide<T>);
    const Part all = team_join<kTeam>(mine);
    const float scale = expf(mine.m - safe(all.m)) / all.s;   // from my own maximum to the row's
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
        for (int j = 0; j < kWide<T>; ++j) v[k * kWide<T> + j] *= scale;
        store_slot(to, (int64_t)(k * kTeam + t) * kWide<T> - skew, cols, v + k * kWide<T>);
    }
}

constexpr int kMost = 512;   // with 1024, nvcc -Xptxas -v said: 64 registers, 128 bytes of spills in fp32. With 512: none

// Too long for registers: once for (max, sum), once more for the output.
template <typename T>
__global__ void __launch_bounds__(kMost)
row_read_twice(const T* x, T* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    const T* from = x + blockIdx.x * x_row_stride;
    T* to = y + blockIdx.x * y_row_stride;
    const int skew = skew_of(from);
    const int64_t slots = (skew + cols + kWide<T> - 1) / kWide<T>;
    float v[kWide<T>];

    Part mine = {-INFINITY, 0.0f};
    for (int64_t k = threadIdx.x; k < slots; k += kMost) {
        load_slot(from, k * kWide<T> - skew, cols, v);
        mine = join(mine, of_values(v, kWide<T>));
    }
    const Part all = team_join<kMost>(mine);
    // Backwards: what was read last is the likeliest to be in L2 still.
    for (int64_t k = threadIdx.x + (slots - 1) / kMost * kMost; k >= 0; k -= kMost) {
        if (k >= slots) continue;
        load_slot(from, k * kWide<T> - skew, cols, v);
        for (int j = 0; j < kWide<T>; ++j) v[j] = expf(v[j] - safe(all.m)) / all.s;
        store_slot(to, k * kWide<T> - skew, cols, v);
    }
}

// ---- launchers -------------------------------------------------------------------------------------------------------

template <typename T>
cudaError_t softmax(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    if (cols <= 32 * kShare) {
        const int64_t blocks = (rows + 7) / 8;   // 8 warps, 8 rows
        row_in_registers<T, 32><<<(unsigned)blocks, 256, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    } else if (cols <= 256 * kShare) {
        row_in_registers<T, 256><<<(unsigned)rows, 256, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    } else if (cols <= kMost * kShare) {
        row_in_registers<T, kMost><<<(unsigned)rows, kMost, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    } else {
        row_read_twice<T><<<(unsigned)rows, kMost, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    }
    return cudaGetLastError();
}

extern "C" cudaError_t softmax_tuned(const float* x, float* y, int64_t rows, int64_t cols,
                                     int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}

extern "C" cudaError_t softmax_tuned_f16(const __half* x, __half* y, int64_t rows, int64_t cols,
                                         int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}

extern "C" cudaError_t softmax_tuned_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                          int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}

// rmsnorm: y = h / rms(h) * weight with h = x + residual, in fp32, fp16 and bf16, for any rows, strides and alignment. Borja's version.
//
// Check: onekernel check rmsnorm
// Work: row per block
//
// The idea: nobody tells me how, but it is softmax_mul.cu with a smaller secret: what threads tell each other is one float, the sum of
// squares, and joining two of them is +. h is added once, kept in fp32 registers, and is never written to memory.
//     up to 1021 columns     a warp per row
//     up to 8189, 16381      a block of 256, 512: one barrier
//     longer                 a block of 512 that reads x and the residual twice
// (for fp32; in 16 bits a row may begin 7 columns behind a boundary)
// What I asked myself: which `other` for columns that do not exist? 0 here, in both x and the residual. It changes no sum of squares, and
// the mean is divided by cols, not by how many slots I have.
//
// Ledger (up to 16381 columns): reads 2, writes 1
// Ledger (longer rows): reads 4, writes 1
// But: the weight is one more read per row. It is the same 16 KB for every row of 4096 and should come from a cache; the simulator counts
// requests and cannot show me that. And where the four pointers differ in their distance from a boundary, only x is read in 16 bytes.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

template <typename T> struct Rows {
    const T* x;
    const T* residual;
    const T* weight;
    T* y;
    int64_t rows, cols, x_row_stride, residual_row_stride, y_row_stride;
    float eps;
    cudaStream_t stream;
};

template <int kTeam>   // threads that share a row: 32, or a whole block
__device__ float team_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
    if (kTeam == 32) return v;
    __shared__ float of_warp[kTeam / 32];
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();   // the only one: of_warp is written once in the life of a block
    v = 0.0f;
    for (int n = 0; n < kTeam / 32; ++n) v += of_warp[n];
    return v;
}

// ---- slots of 16 bytes, as in softmax_mul.cu -------------------------------------------------------------------------

template <typename T> constexpr int kWide = 16 / sizeof(T);   // elements in 16 bytes
template <typename T> union Pack { uint4 bits; T v[kWide<T>]; __device__ Pack() {} };   // 16 bytes, whole or element by element

template <typename T> __device__ bool is_whole(const T* row, int64_t first, int64_t cols) {
    return first >= 0 && first + kWide<T> <= cols && (uintptr_t)(row + first) % 16 == 0;
}

template <typename T> __device__ Pack<T> load_slot(const T* row, int64_t first, int64_t cols) {
    if (is_whole(row, first, cols)) return *reinterpret_cast<const Pack<T>*>(row + first);
    Pack<T> p;
#pragma unroll
    for (int j = 0; j < kWide<T>; ++j) p.v[j] = first + j >= 0 && first + j < cols ? row[first + j] : (T)0.0f;
    return p;
}

// __stcs: nvcc splits the last wide store of a kernel otherwise; see softmax_mul.cu.
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

// h of a slot in fp32: rounding it to half precision would be a rounding that nobody asked for. Returns its sum of squares.
template <typename T> __device__ float add_slot(Pack<T> x, Pack<T> residual, float* h) {
    float squares = 0.0f;
    for (int j = 0; j < kWide<T>; ++j) {
        h[j] = (float)x.v[j] + (float)residual.v[j];
        squares += h[j] * h[j];
    }
    return squares;
}

template <typename T> __device__ Pack<T> scaled(const float* h, float scale, Pack<T> weight) {
    Pack<T> p;
    for (int j = 0; j < kWide<T>; ++j) p.v[j] = (T)(h[j] * scale * (float)weight.v[j]);
    return p;
}

template <typename T> __device__ float scale_of(float squares, const Rows<T>& r) { return 1.0f / sqrtf(squares / (float)r.cols + r.eps); }

// ---- kernels ---------------------------------------------------------------------------------------------------------

template <typename T, int kTeam> __global__ void __launch_bounds__(kTeam == 32 ? 256 : kTeam) row_in_registers(const Rows<T> r) {
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / kTeam) + threadIdx.x / kTeam;
    if (row >= r.rows) return;   // a whole team leaves
    const T* x = r.x + row * r.x_row_stride;
    const T* residual = r.residual + row * r.residual_row_stride;
    T* y = r.y + row * r.y_row_stride;
    const int64_t mine = (int64_t)(threadIdx.x % kTeam) * kWide<T> - (int)((uintptr_t)x % 16 / sizeof(T));
    constexpr int64_t kStep = kTeam * kWide<T>;
    constexpr int kSlots = 32 / kWide<T>;

    float h[kSlots][kWide<T>], squares = 0.0f;
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
        squares += add_slot(load_slot(x, mine + k * kStep, r.cols), load_slot(residual, mine + k * kStep, r.cols), h[k]);
    }
    const float scale = scale_of(team_sum<kTeam>(squares), r);
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
        store_slot(y, mine + k * kStep, r.cols, scaled(h[k], scale, load_slot(r.weight, mine + k * kStep, r.cols)));
    }
}

constexpr int kMost = 512;

template <typename T> __global__ void __launch_bounds__(kMost) row_read_twice(const Rows<T> r) {
    const T* x = r.x + blockIdx.x * r.x_row_stride;
    const T* residual = r.residual + blockIdx.x * r.residual_row_stride;
    T* y = r.y + blockIdx.x * r.y_row_stride;
    const int64_t mine = (int64_t)threadIdx.x * kWide<T> - (int)((uintptr_t)x % 16 / sizeof(T));
    float h[kWide<T>], squares = 0.0f;
    for (int64_t first = mine; first < r.cols; first += kMost * kWide<T>) {
        squares += add_slot(load_slot(x, first, r.cols), load_slot(residual, first, r.cols), h);
    }
    const float scale = scale_of(team_sum<kMost>(squares), r);
    for (int64_t first = mine; first < r.cols; first += kMost * kWide<T>) {
        add_slot(load_slot(x, first, r.cols), load_slot(residual, first, r.cols), h);
        store_slot(y, first, r.cols, scaled(h, scale, load_slot(r.weight, first, r.cols)));
    }
}

// ---- launchers -------------------------------------------------------------------------------------------------------

template <typename T> cudaError_t rmsnorm_of(const Rows<T>& r) {
    if (r.rows <= 0 || r.cols <= 0) return cudaSuccess;
    const int64_t furthest = r.cols + kWide<T> - 1;   // the last column, where the row begins just behind a boundary
    const unsigned rows = (unsigned)r.rows;
    if (furthest <= 32 * 32) row_in_registers<T, 32><<<(rows + 7) / 8, 256, 0, r.stream>>>(r);
    else if (furthest <= 256 * 32) row_in_registers<T, 256><<<rows, 256, 0, r.stream>>>(r);
    else if (furthest <= 512 * 32) row_in_registers<T, 512><<<rows, 512, 0, r.stream>>>(r);
    else row_read_twice<T><<<rows, kMost, 0, r.stream>>>(r);
    return cudaGetLastError();
}

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

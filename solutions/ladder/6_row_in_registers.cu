// ladder_row_in_registers: row softmax, the row read once and kept in registers.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 6_row_in_registers
// Bench: onekernel bench ladder/6_row_in_registers
//
// The new idea: registers are the largest on-chip memory, 256 KB on each multiprocessor. A thread that keeps its share of the row needs
// no second read. The array `v` must be indexed by constants alone, since registers have no addresses: the loops over it are unrolled
// completely, and rows of different lengths get kernels for 4, 8, 16 and 32 elements a thread. All of a thread's loads are under way
// before the first one is needed.
//
// Work: row per block
// Ledger (rows up to 32768 columns): reads 1, writes 1
// Ledger (longer rows): reads 3, writes 1
// But: a block has 1024 threads at the most, which hold 32768 elements. And a short row leaves most of a block idle.

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kMostThreads = 1024;
constexpr int64_t kMostBlocks = 2147483647;

struct Part {   // of a row: its largest element, and the sum of exp(x - max) over it
    float max;
    float sum;
};

__device__ float warp_max(float v) {
    for (int step = 16; step > 0; step /= 2) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, step));
    }
    return v;
}

__device__ float warp_sum(float v) {
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(0xffffffff, v, step);
    }
    return v;
}

// Joins one Part for each warp; every thread gets the result. `parts` has room for 32.
__device__ Part block_join(Part mine, Part* parts) {
    const int warps = blockDim.x / 32;
    const int lane = threadIdx.x % 32;
    if (lane == 0) parts[threadIdx.x / 32] = mine;
    __syncthreads();
    const Part other = lane < warps ? parts[lane] : Part{-INFINITY, 0.0f};
    const float m = warp_max(other.max);
    return {m, warp_sum(other.max == -INFINITY ? other.sum : other.sum * expf(other.max - m))};
}

template <int kElements>   // a multiple of 4, in each thread's registers
__global__ void __launch_bounds__(kMostThreads)
row_in_registers_kernel(const float* x, float* y, int cols, int64_t x_row_stride, int64_t y_row_stride, bool in_vectors) {
    __shared__ Part parts[32];
    const int t = threadIdx.x;
    const int threads = blockDim.x;
    const float* x_row = x + blockIdx.x * x_row_stride;
    float* y_row = y + blockIdx.x * y_row_stride;

    float v[kElements];
    if (in_vectors) {   // every row starts on a 16-byte boundary and is a whole number of vectors long
#pragma unroll
        for (int k = 0; k < kElements; k += 4) {
            const int c = (k / 4 * threads + t) * 4;
            const float4 four = c < cols ? *(const float4*)(x_row + c) : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
            v[k] = four.x;
            v[k + 1] = four.y;
            v[k + 2] = four.z;
            v[k + 3] = four.w;
        }
    } else {
#pragma unroll
        for (int k = 0; k < kElements; ++k) {
            const int c = k * threads + t;
            v[k] = c < cols ? x_row[c] : -INFINITY;
        }
    }

    // Each warp computes its exponentials against its own maximum, so that the block has to meet only once.
    float largest = v[0];
#pragma unroll
    for (int k = 1; k < kElements; ++k) largest = fmaxf(largest, v[k]);
    largest = warp_max(largest);
    const float from = largest == -INFINITY ? 0.0f : largest;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < kElements; ++k) {
        v[k] = expf(v[k] - from);
        sum += v[k];
    }
    const Part row = block_join({largest, warp_sum(sum)}, parts);
    const float factor = expf(largest - row.max) / row.sum;   // what turns this warp's exponentials into the row's softmax

    if (in_vectors) {
#pragma unroll
        for (int k = 0; k < kElements; k += 4) {
            const int c = (k / 4 * threads + t) * 4;
            if (c < cols) {
                *(float4*)(y_row + c) = make_float4(v[k] * factor, v[k + 1] * factor, v[k + 2] * factor, v[k + 3] * factor);
            }
        }
    } else {
#pragma unroll
        for (int k = 0; k < kElements; ++k) {
            const int c = k * threads + t;
            if (c < cols) y_row[c] = v[k] * factor;
        }
    }
}

// Rows that no block can hold: three passes, as in ladder_warp_shuffle.
__global__ void long_row_kernel(const float* x, float* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ Part parts[2][32];
    const float* x_row = x + blockIdx.x * x_row_stride;
    float* y_row = y + blockIdx.x * y_row_stride;
    float largest = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) largest = fmaxf(largest, x_row[c]);
    largest = block_join({warp_max(largest), 0.0f}, parts[0]).max;
    float sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(x_row[c] - largest);
    sum = block_join({largest, warp_sum(sum)}, parts[1]).sum;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y_row[c] = expf(x_row[c] - largest) / sum;
}

template <int kElements>
cudaError_t launch(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    const int64_t needed = (cols + kElements - 1) / kElements;
    const unsigned threads = (unsigned)((needed + 31) / 32 * 32);
    const bool in_vectors = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0 && cols % 4 == 0 && x_row_stride % 4 == 0 && y_row_stride % 4 == 0;
    row_in_registers_kernel<kElements><<<(unsigned)rows, threads, 0, stream>>>(x, y, (int)cols, x_row_stride, y_row_stride, in_vectors);
    return cudaGetLastError();
}

extern "C" cudaError_t ladder_row_in_registers(const float* x, float* y, int64_t rows, int64_t cols,
                                               int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    for (int64_t done = 0; done < rows; done += kMostBlocks) {   // a launch has no more blocks than that
        const int64_t some = rows - done < kMostBlocks ? rows - done : kMostBlocks;
        const float* from = x + done * x_row_stride;
        float* to = y + done * y_row_stride;
        cudaError_t error;
        if (cols <= 4 * 128) {
            error = launch<4>(from, to, some, cols, x_row_stride, y_row_stride, stream);
        } else if (cols <= 8 * 256) {
            error = launch<8>(from, to, some, cols, x_row_stride, y_row_stride, stream);
        } else if (cols <= 16 * 512) {
            error = launch<16>(from, to, some, cols, x_row_stride, y_row_stride, stream);
        } else if (cols <= 32 * kMostThreads) {
            error = launch<32>(from, to, some, cols, x_row_stride, y_row_stride, stream);
        } else {
            long_row_kernel<<<(unsigned)some, kMostThreads, 0, stream>>>(from, to, cols, x_row_stride, y_row_stride);
            error = cudaGetLastError();
        }
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

// ladder_warp_per_row: row softmax, short rows: a warp keeps a row in its registers, and a block takes four rows.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 8_warp_per_row
// Bench: onekernel bench ladder/8_warp_per_row
//
// The new idea: a row of 128 columns gives a block of 128 threads one element each, and then they wait for each other. One warp does the
// whole row instead: its lanes join by shuffles, and there is no shared memory and no barrier at all. Four warps of a block have four
// rows, which have nothing to do with each other; so a warp without a row may simply leave.
//
// Work: row per warp
// Ledger (rows up to 1024 columns): reads 1, writes 1
// Ledger (longer rows): reads 3, writes 1
// But: longer rows get the plain block of ladder_warp_shuffle here. Which kernel a row deserves is for the last rung.

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int64_t kMostBlocks = 2147483647;

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

template <int kElements>   // a multiple of 4, in each lane's registers
__global__ void warp_per_row_kernel(const float* x, float* y, int64_t rows, int cols, int64_t x_row_stride, int64_t y_row_stride, bool in_vectors) {
    const int64_t row = (int64_t)blockIdx.x * kWarps + threadIdx.x / 32;   // the same in all lanes of a warp,
    if (row >= rows) return;                                               // so that a whole warp leaves, or none of it
    const int lane = threadIdx.x % 32;
    const float* x_row = x + row * x_row_stride;
    float* y_row = y + row * y_row_stride;

    float v[kElements];
#pragma unroll
    for (int k = 0; k < kElements; k += 4) {
        const int c = (k / 4 * 32 + lane) * 4;
        if (in_vectors && c < cols) {   // every row starts on a 16-byte boundary and is a whole number of vectors long
            const float4 four = *(const float4*)(x_row + c);
            v[k] = four.x;
            v[k + 1] = four.y;
            v[k + 2] = four.z;
            v[k + 3] = four.w;
        } else {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int one = (k + j) * 32 + lane;
                v[k + j] = !in_vectors && one < cols ? x_row[one] : -INFINITY;
            }
        }
    }

    float largest = v[0];
#pragma unroll
    for (int k = 1; k < kElements; ++k) largest = fmaxf(largest, v[k]);
    largest = warp_max(largest);
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < kElements; ++k) {
        v[k] = expf(v[k] - largest);   // where every element is -inf: NaN, as it should be
        sum += v[k];
    }
    const float factor = 1.0f / warp_sum(sum);

#pragma unroll
    for (int k = 0; k < kElements; k += 4) {
        const int c = (k / 4 * 32 + lane) * 4;
        if (in_vectors) {
            if (c < cols) *(float4*)(y_row + c) = make_float4(v[k] * factor, v[k + 1] * factor, v[k + 2] * factor, v[k + 3] * factor);
        } else {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int one = (k + j) * 32 + lane;
                if (one < cols) y_row[one] = v[k + j] * factor;
            }
        }
    }
}

__device__ float block_max(float v, float* parts) {
    v = warp_max(v);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_max(threadIdx.x % 32 < kWarps ? parts[threadIdx.x % 32] : -INFINITY);
}

__device__ float block_sum(float v, float* parts) {
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < kWarps ? parts[threadIdx.x % 32] : 0.0f);
}

// Rows that a warp cannot hold: a block, three passes, as in ladder_warp_shuffle.
__global__ void long_row_kernel(const float* x, float* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ float maxima[kWarps], sums[kWarps];
    const float* x_row = x + blockIdx.x * x_row_stride;
    float* y_row = y + blockIdx.x * y_row_stride;
    float largest = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) largest = fmaxf(largest, x_row[c]);
    largest = block_max(largest, maxima);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) sum += expf(x_row[c] - largest);
    const float factor = 1.0f / block_sum(sum, sums);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y_row[c] = expf(x_row[c] - largest) * factor;
}

extern "C" cudaError_t ladder_warp_per_row(const float* x, float* y, int64_t rows, int64_t cols,
                                           int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const bool in_vectors = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0 && cols % 4 == 0 && x_row_stride % 4 == 0 && y_row_stride % 4 == 0;
    const int64_t most_rows = cols <= 1024 ? kMostBlocks * kWarps : kMostBlocks;   // a launch has no more blocks than kMostBlocks
    for (int64_t done = 0; done < rows; done += most_rows) {
        const int64_t some = rows - done < most_rows ? rows - done : most_rows;
        const unsigned blocks = (unsigned)(cols <= 1024 ? (some + kWarps - 1) / kWarps : some);
        const float* from = x + done * x_row_stride;
        float* to = y + done * y_row_stride;
        if (cols <= 128) {
            warp_per_row_kernel<4><<<blocks, kThreads, 0, stream>>>(from, to, some, (int)cols, x_row_stride, y_row_stride, in_vectors);
        } else if (cols <= 256) {
            warp_per_row_kernel<8><<<blocks, kThreads, 0, stream>>>(from, to, some, (int)cols, x_row_stride, y_row_stride, in_vectors);
        } else if (cols <= 512) {
            warp_per_row_kernel<16><<<blocks, kThreads, 0, stream>>>(from, to, some, (int)cols, x_row_stride, y_row_stride, in_vectors);
        } else if (cols <= 1024) {
            warp_per_row_kernel<32><<<blocks, kThreads, 0, stream>>>(from, to, some, (int)cols, x_row_stride, y_row_stride, in_vectors);
        } else {
            long_row_kernel<<<blocks, kThreads, 0, stream>>>(from, to, cols, x_row_stride, y_row_stride);
        }
        const cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

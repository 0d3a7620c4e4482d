// ladder_sixteen_bits: row softmax in fp32, fp16 and bf16: 16 bytes are four elements or eight, the arithmetic is fp32.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 9_sixteen_bits
// Bench: onekernel bench ladder/9_sixteen_bits
//
// The new idea: only loads and stores know the type. `load16` brings 16 bytes and makes floats of them, two elements of 16 bits from each
// register; `store16` rounds the floats and packs them again. Between the two the kernel is ladder_row_in_registers, a template over T.
// Half the bytes, so the memory needs half the time for an element, and the instructions have to keep up: that is what packing is for.
//
// Work: row per block
// Ledger (rows up to 32768 columns): reads 1, writes 1
// Ledger (longer rows): reads 3, writes 1
// But: a row that starts elsewhere than on a 16-byte boundary is taken one by one, and in 16 bits that costs twice as much as in fp32.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kMostThreads = 1024;
constexpr int64_t kMostBlocks = 2147483647;
template <typename T> constexpr int kVector = 16 / sizeof(T);   // elements in 16 bytes

template <typename T> struct alignas(16) Vector { T v[kVector<T>]; };

template <typename T> __device__ void load16(const T* from, float* v) {
    const Vector<T> vector = *(const Vector<T>*)from;   // one load; of a 16-bit type, each of four registers holds two elements
#pragma unroll
    for (int k = 0; k < kVector<T>; ++k) v[k] = (float)vector.v[k];
}

template <typename T> __device__ void store16(T* to, const float* v) {
    Vector<T> vector;
#pragma unroll
    for (int k = 0; k < kVector<T>; ++k) vector.v[k] = (T)v[k];   // neighbours: the compiler rounds and packs two in one instruction
    *(Vector<T>*)to = vector;
}

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
    const int lane = threadIdx.x % 32;
    if (lane == 0) parts[threadIdx.x / 32] = mine;
    __syncthreads();
    const Part other = lane < blockDim.x / 32 ? parts[lane] : Part{-INFINITY, 0.0f};
    const float m = warp_max(other.max);
    return {m, warp_sum(other.max == -INFINITY ? other.sum : other.sum * expf(other.max - m))};
}

template <typename T, int kElements>   // a multiple of kVector, in each thread's registers
__global__ void __launch_bounds__(kMostThreads)
sixteen_bits_kernel(const T* x, T* y, int cols, int64_t x_row_stride, int64_t y_row_stride, bool in_vectors) {
    constexpr int N = kVector<T>;
    __shared__ Part parts[32];
    const int t = threadIdx.x;
    const int threads = blockDim.x;
    const T* x_row = x + blockIdx.x * x_row_stride;
    T* y_row = y + blockIdx.x * y_row_stride;

    float v[kElements];
#pragma unroll
    for (int k = 0; k < kElements; ++k) v[k] = -INFINITY;
#pragma unroll
    for (int k = 0; k < kElements; k += N) {
        const int c = (k / N * threads + t) * N;
        if (in_vectors) {   // every row starts on a 16-byte boundary and is a whole number of vectors long
            if (c < cols) load16(x_row + c, v + k);
        } else {
#pragma unroll
            for (int j = 0; j < N; ++j) {
                const int one = (k + j) * threads + t;
                if (one < cols) v[k + j] = (float)x_row[one];
            }
        }
    }

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

#pragma unroll
    for (int k = 0; k < kElements; ++k) v[k] *= factor;
#pragma unroll
    for (int k = 0; k < kElements; k += N) {
        const int c = (k / N * threads + t) * N;
        if (in_vectors) {
            if (c < cols) store16(y_row + c, v + k);
        } else {
#pragma unroll
            for (int j = 0; j < N; ++j) {
                const int one = (k + j) * threads + t;
                if (one < cols) y_row[one] = (T)v[k + j];
            }
        }
    }
}

// Rows that no block can hold: three passes, as in ladder_warp_shuffle.
template <typename T>
__global__ void long_row_kernel(const T* x, T* y, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ Part parts[2][32];
    const T* x_row = x + blockIdx.x * x_row_stride;
    T* y_row = y + blockIdx.x * y_row_stride;
    float largest = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) largest = fmaxf(largest, (float)x_row[c]);
    largest = block_join({warp_max(largest), 0.0f}, parts[0]).max;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf((float)x_row[c] - largest);
    sum = block_join({largest, warp_sum(sum)}, parts[1]).sum;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y_row[c] = (T)(expf((float)x_row[c] - largest) / sum);
}

template <typename T, int kElements>
void launch(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, bool in_vectors, cudaStream_t stream) {
    const int64_t needed = (cols + kElements - 1) / kElements;
    const unsigned threads = (unsigned)((needed + 31) / 32 * 32);
    sixteen_bits_kernel<T, kElements><<<(unsigned)rows, threads, 0, stream>>>(x, y, (int)cols, x_row_stride, y_row_stride, in_vectors);
}

template <typename T>
cudaError_t softmax(const T* x, T* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    constexpr int N = kVector<T>;
    const bool in_vectors = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0 && cols % N == 0 && x_row_stride % N == 0 && y_row_stride % N == 0;
    for (int64_t done = 0; done < rows; done += kMostBlocks) {   // a launch has no more blocks than that
        const int64_t some = rows - done < kMostBlocks ? rows - done : kMostBlocks;
        const T* from = x + done * x_row_stride;
        T* to = y + done * y_row_stride;
        if (cols <= 8 * 256) {
            launch<T, 8>(from, to, some, cols, x_row_stride, y_row_stride, in_vectors, stream);
        } else if (cols <= 16 * 512) {
            launch<T, 16>(from, to, some, cols, x_row_stride, y_row_stride, in_vectors, stream);
        } else if (cols <= 32 * kMostThreads) {
            launch<T, 32>(from, to, some, cols, x_row_stride, y_row_stride, in_vectors, stream);
        } else {
            long_row_kernel<T><<<(unsigned)some, kMostThreads, 0, stream>>>(from, to, cols, x_row_stride, y_row_stride);
        }
        const cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

extern "C" cudaError_t ladder_sixteen_bits(const float* x, float* y, int64_t rows, int64_t cols,
                                           int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}

extern "C" cudaError_t ladder_sixteen_bits_f16(const __half* x, __half* y, int64_t rows, int64_t cols,
                                               int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}

extern "C" cudaError_t ladder_sixteen_bits_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols,
                                                int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    return softmax(x, y, rows, cols, x_row_stride, y_row_stride, stream);
}

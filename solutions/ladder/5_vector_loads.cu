// ladder_vector_loads: row softmax, online, with loads and stores of 16 bytes.
//
// Check: python -m pytest tests/grading/test_cuda_solutions.py -k 5_vector_loads
// Bench: onekernel bench ladder/5_vector_loads
//
// The new idea: one instruction can move 16 bytes for each lane, a float4, if its address is a multiple of 16. A quarter of the
// instructions ask for the same bytes, and each of them asks for four times as much: more bytes are under way at any moment, which is
// what hides the 600 ns that memory takes to answer. A row that starts off a 16-byte boundary loses its first few elements to single
// loads, and the rest is taken in vectors from the boundary on; likewise what is left over at the end.
//
// Work: row per block
// Ledger: reads 2, writes 1
// But: the row is still read twice, once for maximum and sum and once for the output.

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int64_t kMostBlocks = 2147483647;

struct Part {   // of a row: its largest element, and the sum of exp(x - max) over it
    float max;
    float sum;
};

__device__ Part join(Part a, Part b) {
    const float m = fmaxf(a.max, b.max);
    if (m == -INFINITY) return {m, a.sum + b.sum};
    return {m, a.sum * expf(a.max - m) + b.sum * expf(b.max - m)};
}

__device__ Part warp_join(Part p) {
    for (int step = 16; step > 0; step /= 2) {
        p = join(p, {__shfl_xor_sync(0xffffffff, p.max, step), __shfl_xor_sync(0xffffffff, p.sum, step)});
    }
    return p;
}

// Four elements join at once: one new maximum and one correction of the old sum for the four of them.
__device__ Part add(Part p, float4 v) {
    const float m = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), p.max);
    const float from = m == -INFINITY ? 0.0f : m;   // exp(-inf - 0) = 0 is what an element of -inf contributes
    return {m, p.sum * expf(p.max - from) + expf(v.x - from) + expf(v.y - from) + expf(v.z - from) + expf(v.w - from)};
}

__device__ Part add(Part p, float v) {
    return add(p, make_float4(v, -INFINITY, -INFINITY, -INFINITY));
}

// Elements before the first 16-byte boundary at or after p.
__device__ int64_t to_boundary(const float* p, int64_t cols) {
    const int64_t elements = (16 - (uintptr_t)p % 16) % 16 / sizeof(float);
    return elements < cols ? elements : cols;
}

__global__ void vector_loads_kernel(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride) {
    __shared__ Part parts[2][kWarps];
    const int t = threadIdx.x;
    const int warp = t / 32;
    const int lane = t % 32;
    int turn = 0;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* x_row = x + row * x_row_stride;
        float* y_row = y + row * y_row_stride;
        const int64_t head = to_boundary(x_row, cols);        // fewer than 4 elements,
        const int64_t vectors = (cols - head) / 4;            // then whole vectors,
        const int64_t tail = head + vectors * 4;              // then fewer than 4 elements from here on

        Part part = {-INFINITY, 0.0f};
        for (int64_t v = t; v < vectors; v += kThreads) {
            part = add(part, *(const float4*)(x_row + head + v * 4));
        }
        if (t < head) part = add(part, x_row[t]);
        if (t < cols - tail) part = add(part, x_row[tail + t]);
        part = warp_join(part);
        if (lane == 0) parts[turn][warp] = part;
        __syncthreads();
        part = warp_join(lane < kWarps ? parts[turn][lane] : Part{-INFINITY, 0.0f});
        turn ^= 1;

        const float inverse = 1.0f / part.sum;   // one division a row, not one an element
        if (to_boundary(y_row, cols) == head) {
            for (int64_t v = t; v < vectors; v += kThreads) {
                float4 e = *(const float4*)(x_row + head + v * 4);
                e.x = expf(e.x - part.max) * inverse;
                e.y = expf(e.y - part.max) * inverse;
                e.z = expf(e.z - part.max) * inverse;
                e.w = expf(e.w - part.max) * inverse;
                __stcs((float4*)(y_row + head + v * 4), e);   // nobody reads y here, so it may leave L2 first and x stays
            }
            if (t < head) y_row[t] = expf(x_row[t] - part.max) * inverse;
            if (t < cols - tail) y_row[tail + t] = expf(x_row[tail + t] - part.max) * inverse;
        } else {   // no vector of the input lies on a boundary of the output
            for (int64_t c = t; c < cols; c += kThreads) {
                y_row[c] = expf(x_row[c] - part.max) * inverse;
            }
        }
    }
}

extern "C" cudaError_t ladder_vector_loads(const float* x, float* y, int64_t rows, int64_t cols,
                                           int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)(rows < kMostBlocks ? rows : kMostBlocks);
    vector_loads_kernel<<<blocks, kThreads, 0, stream>>>(x, y, rows, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}

// out[r][c] = -x[r][c] between matrices whose rows lie further apart than they are long.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void negate(const float* x, float* out, int64_t cols, int64_t x_row_stride, int64_t out_row_stride) {
    int64_t row = blockIdx.x;
    for (int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
        // <gap>
        //| out[0] = -x[0];  // TODO: element `col` of row `row`, in x and in out
        out[row * out_row_stride + col] = -x[row * x_row_stride + col];
        // </gap>
    }
}

extern "C" cudaError_t row_stride(const float* x, float* out, int64_t rows, int64_t cols, int64_t x_row_stride,
                                  int64_t out_row_stride, cudaStream_t stream) {
    negate<<<(unsigned)rows, 32, 0, stream>>>(x, out, cols, x_row_stride, out_row_stride);
    return cudaGetLastError();
}

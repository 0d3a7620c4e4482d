// exercise: softmax_block
// unusual: a state machine: an enum, one loop over the row in a switch, and a barrier at the end of each state; the walk goes forwards and backwards in turn
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

enum State : unsigned char { kLook, kAdd, kWrite, kDone };
__global__ void softmax(const float* const x, float* const y, const int64_t cols, const int64_t xs, const int64_t ys) {
    __shared__ float left[2][256];
    const float* const in = x + blockIdx.x * xs;
    float* const out = y + blockIdx.x * ys;
    const int t = threadIdx.x;
    float acc[2] = {-INFINITY, 0.0f};
    for (State state = kLook; state != kDone;) {
        const bool forwards = state != kAdd;
        const int64_t last = (cols - 1 - t) / 256 * 256 + t;
        if (t < cols) {
            for (int64_t c = forwards ? t : last; forwards ? c < cols : c >= 0; c += forwards ? 256 : -256) {
                switch (state) {
                    case kLook: acc[0] = fmaxf(acc[0], in[c]); break;
                    case kAdd: acc[1] += expf(in[c] - acc[0]); break;
                    case kWrite: out[c] = expf(in[c] - acc[0]) / acc[1]; break;
                    case kDone: break;
                }
            }
        }
        if (state == kWrite) {
            state = kDone;
            continue;
        }
        float* const mine = left[state];
        mine[t] = acc[state];
        for (int n = 256; n > 1; n >>= 1) {
            __syncthreads();
            if (t < n / 2) mine[t] = state == kLook ? fmaxf(mine[t], mine[t + n / 2]) : mine[t] + mine[t + n / 2];
        }
        __syncthreads();
        acc[state] = mine[0];
        state = static_cast<State>(state + 1);
    }
}
extern "C" cudaError_t softmax_block(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride, int64_t y_row_stride, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    softmax<<<(unsigned)rows, 256, 0, stream>>>(x, y, cols, x_row_stride, y_row_stride);
    return cudaGetLastError();
}

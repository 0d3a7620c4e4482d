// exercise: rmsnorm
// unusual: the squares are added up by wmma of tf32 with a matrix of ones, each as a high part that tf32 holds and a rest; the row's other steps are plain
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <mma.h>
#include <stdint.h>
using namespace nvcuda;

constexpr int kWarps = 4, kThreads = 32 * kWarps;
__device__ float upper(float v) { return __uint_as_float(__float_as_uint(v) & 0xffffe000u); }

template <typename T> __global__ void rms(const T* x, const T* r, const T* w, T* y, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps) {
    __shared__ float squares[kWarps][3][16 * 8], total[kWarps][16 * 16], sums[kWarps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    x += blockIdx.x * xs;
    r += blockIdx.x * rs;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ones;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    wmma::fill_fragment(ones, 1.0f);
    wmma::fill_fragment(c, 0.0f);
    bool special = false;
    for (int64_t at = warp * 128; at < cols; at += kWarps * 128) {
        for (int i = lane; i < 128; i += 32) {
            const float h = at + i < cols ? (float)x[at + i] + (float)r[at + i] : 0.0f;
            const float square = h * h, high = upper(square), middle = upper(square - high);
            special |= !isfinite(square);
            squares[warp][0][i] = high;
            squares[warp][1][i] = middle;
            squares[warp][2][i] = square - high - middle;
        }
        __syncwarp();
        for (int part = 0; part < 3; ++part) {
            wmma::load_matrix_sync(a, squares[warp][part], 8);
            wmma::mma_sync(c, a, ones, c);
        }
        __syncwarp();
    }
    wmma::store_matrix_sync(total[warp], c, 16, wmma::mem_row_major);
    __syncwarp();
    float s = lane < 16 ? total[warp][lane * 16] : 0.0f;
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) sums[warp] = s;
    if (__syncthreads_or(special)) {   // infinity - infinity is no part of a number: such a row is added up plainly
        s = 0.0f;
        for (int64_t i = 0; i < cols; ++i) {
            const float h = (float)x[i] + (float)r[i];
            s += h * h;
        }
    } else {
        s = sums[0] + sums[1] + sums[2] + sums[3];
    }
    const float f = 1.0f / sqrtf(s / (float)cols + eps);
    for (int64_t i = threadIdx.x; i < cols; i += kThreads) y[blockIdx.x * ys + i] = T(((float)x[i] + (float)r[i]) * f * (float)w[i]);
}
template <typename T> cudaError_t launch(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t stream) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    rms<<<(unsigned)rows, kThreads, 0, stream>>>(x, r, w, y, cols, xs, rs, ys, eps);
    return cudaGetLastError();
}
#define LAUNCHER(name, T) extern "C" cudaError_t name(const T* x, const T* r, const T* w, T* y, int64_t rows, int64_t cols, int64_t xs, int64_t rs, int64_t ys, float eps, cudaStream_t s) { return launch(x, r, w, y, rows, cols, xs, rs, ys, eps, s); }
LAUNCHER(rmsnorm, float)
LAUNCHER(rmsnorm_f16, __half)
LAUNCHER(rmsnorm_bf16, __nv_bfloat16)

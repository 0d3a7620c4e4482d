// exercise: gelu
// unusual: x times CUDA's normcdff; the other form as a sigmoid of twice the argument; the form is a template's choice
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

struct Exact { __device__ static float of(float v) { return v * normcdff(v); } };
struct Sigmoid {
    __device__ static float of(float v) {
        const float twice = 1.5957691216f * v * fmaf(0.044715f * v, v, 1.0f);
        return v / (1.0f + expf(-twice));
    }
};

template <typename Form, typename T>
__global__ void map(const T* x, T* y, int64_t n) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        y[i] = T(Form::of(float(x[i])));
}

template <typename T>
cudaError_t run(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    const unsigned blocks = (unsigned)min((n + 511) / 512, (int64_t)2048);
    (approximate ? map<Sigmoid, T> : map<Exact, T>)<<<blocks, 512, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
#define L(name, T)                                                                                            \
    extern "C" cudaError_t name(const T* x, T* y, int64_t n, int64_t approximate, cudaStream_t stream) {      \
        return run(x, y, n, approximate, stream);                                                             \
    }
L(gelu, float)
L(gelu_f16, __half)
L(gelu_bf16, __nv_bfloat16)

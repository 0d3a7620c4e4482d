// One block of 128 threads, four warps. Who takes the branch depends on `way`.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void branch(const float* x, float* out, int64_t way) {
    int t = threadIdx.x;
    bool taken = way == 0 ? t % 2 : way == 1 ? t / 32 % 2 : way == 2 ? t < 40 : blockIdx.x == 0;
    if (taken) {
        out[t] = x[t];
    } else {
        out[t] = -x[t];
    }
}

extern "C" cudaError_t divergence(const float* x, float* out, int64_t way, cudaStream_t stream) {
    branch<<<1, 128, 0, stream>>>(x, out, way);
    return cudaGetLastError();
}

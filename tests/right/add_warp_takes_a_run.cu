// exercise: vector_add
// unusual: each warp owns a run of 1024 elements and walks it lane by lane; blocks of 3 warps, the share computed from the end
#include <cuda_runtime.h>
#include <stdint.h>

#define RUN 1024ll

static __global__ void add(const float* a, const float* b, float* out, const int64_t n) {
    const unsigned lane = threadIdx.x & 31u;
    long long warp = 3ll * blockIdx.x + (threadIdx.x >> 5);
    const float *pa = a + warp * RUN, *pb = b + warp * RUN;
    float* po = out + warp * RUN;
    long long left = n - warp * RUN;
    if (left > RUN) left = RUN;
    while (left > (long long)lane) {
        po[lane] = pa[lane] + pb[lane];
        pa += 32, pb += 32, po += 32;
        left -= 32;
    }
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    const long long runs = (n + RUN - 1) / RUN;
    void* arguments[] = {&a, &b, &out, &n};
    if (runs == 0) return cudaSuccess;
    return cudaLaunchKernel((const void*)add, dim3((unsigned)((runs + 2) / 3)), dim3(96), arguments, 0, stream);
}

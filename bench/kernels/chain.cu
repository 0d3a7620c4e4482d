// chain: `count` kernels in a row, each reading what the one before it wrote; with `early` by programmatic dependent launch.
//
// Bench: python bench/overhead.py
//
// The idea: a kernel that calls cudaTriggerProgrammaticLaunchCompletion lets the next one be set up while it still
// works, and cudaGridDependencySynchronize holds that next one until everything before it has been written.
//
// But: both calls mean something from compute capability 9.0 on; before it the chain is an ordinary one.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

__global__ void link_kernel(const float* x, float* y, int64_t n) {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
    const int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    if (i < n) y[i] = 0.5f * x[i] + 1.0f;
}

extern "C" cudaError_t chain(float* a, float* b, int64_t n, int64_t count, int64_t early, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)((n + kThreads - 1) / kThreads));
    config.blockDim = dim3(kThreads);
    config.stream = stream;
    config.attrs = &attribute;
    for (int64_t k = 0; k < count; ++k) {
        config.numAttrs = early && k > 0 ? 1 : 0;
        const cudaError_t status = cudaLaunchKernelEx(&config, link_kernel, (const float*)(k % 2 ? b : a), k % 2 ? a : b, n);
        if (status != cudaSuccess) return status;
    }
    return cudaGetLastError();
}

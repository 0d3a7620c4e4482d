// chain: `count` kernels in a row, each reading what the one before it wrote; `early`: by programmatic dependent launch.
//
// Bench: python -m audits.overhead
//
// The idea: a kernel that calls cudaTriggerProgrammaticLaunchCompletion lets the next one be set up while it still
// works, and cudaGridDependencySynchronize holds that next one until everything before it has been written.
//
// But: n is a multiple of 4; both calls mean something from compute capability 9.0 on, and nothing before it.

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 256;

template <bool kEarly>
__global__ void link_kernel(const float4* x, float4* y, int64_t vectors) {
#if __CUDA_ARCH__ >= 900
    if constexpr (kEarly) cudaTriggerProgrammaticLaunchCompletion();
#endif
    const int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    if constexpr (kEarly) cudaGridDependencySynchronize();
#endif
    if (i >= vectors) return;
    const float4 v = x[i];
    y[i] = make_float4(0.5f * v.x + 1.0f, 0.5f * v.y + 1.0f, 0.5f * v.z + 1.0f, 0.5f * v.w + 1.0f);
}

extern "C" cudaError_t chain(float* a, float* b, int64_t n, int64_t count, int64_t early, cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)((n / 4 + kThreads - 1) / kThreads));
    config.blockDim = dim3(kThreads);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    for (int64_t k = 0; k < count; ++k) {
        const float4* x = (const float4*)(k % 2 ? b : a);
        float4* y = (float4*)(k % 2 ? a : b);
        const cudaError_t status = early ? cudaLaunchKernelEx(&config, link_kernel<true>, x, y, n / 4)
                                         : cudaLaunchKernelEx(&config, link_kernel<false>, x, y, n / 4);
        if (status != cudaSuccess) return status;
    }
    return cudaGetLastError();
}

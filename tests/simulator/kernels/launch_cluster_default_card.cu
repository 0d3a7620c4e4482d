// Clusters on the card of compute capability 8.0.
// n: 256
// status: cudaErrorNotSupported
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8);
    config.blockDim = dim3(32);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, k, x, y);  // <- bad-launch
}

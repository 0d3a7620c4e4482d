// What the runtime answers about clusters of one block a multiprocessor: 132 of them in clusters of 4, 8 and 16. Of 32 there is
// none: an error for a portable kernel, and 0 where more than 8 are allowed.
// n: 32
// arch: sm_90
// Result: np.array([2, 33, 8, 16, 8, 9, 232448, 1, 0, 0, 1, 912, 912] + [0] * 19)
// Total: barriers 0
__global__ void k(float* out) { out[threadIdx.x] = 0.0f; }
__global__ void set(float* out, int i, int value) { out[i] = value; }
extern "C" cudaError_t run(const float*, float* y, int64_t, cudaStream_t stream) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8);
    config.blockDim = dim3(1024);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int answers[13];
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&answers[0], k, 1024, 0);
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024);
    config.dynamicSmemBytes = 120 * 1024;
    attribute.val.clusterDim.x = 4;
    cudaOccupancyMaxActiveClusters(&answers[1], k, &config);
    cudaOccupancyMaxPotentialClusterSize(&answers[2], k, &config);
    cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaOccupancyMaxPotentialClusterSize(&answers[3], k, &config);
    attribute.val.clusterDim.x = 16;
    cudaOccupancyMaxActiveClusters(&answers[4], k, &config);
    attribute.val.clusterDim.x = 32;
    answers[8] = cudaOccupancyMaxActiveClusters(&answers[9], k, &config);
    attribute.val.clusterDim.x = 1;
    cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 0);
    answers[10] = cudaOccupancyMaxActiveClusters(&answers[11], k, &config) == cudaSuccess && answers[11] == 132;
    attribute.val.clusterDim.x = 16;
    answers[11] = cudaOccupancyMaxActiveClusters(&answers[12], k, &config);
    attribute.val.clusterDim.x = 32;
    answers[12] = cudaOccupancyMaxActiveClusters(&answers[12], k, &config);
    cudaGetLastError();
    cudaDeviceProp card;
    cudaGetDeviceProperties(&card, 0);
    answers[5] = card.major;
    answers[6] = static_cast<int>(card.sharedMemPerBlockOptin);
    cudaDeviceGetAttribute(&answers[7], cudaDevAttrClusterLaunch, 0);
    k<<<1, 32, 0, stream>>>(y);
    for (int i = 0; i < 13; i++) set<<<1, 1, 0, stream>>>(y, i, answers[i]);
    return cudaGetLastError();
}

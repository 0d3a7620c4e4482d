// Only block 0 makes its part visible before it counts; what the others have stored the last block may not see.
// n: 256
__global__ void k(const float* x, float* y, float* parts, unsigned* counter) {
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = x[blockIdx.x];  // <- race-global parts
    if (blockIdx.x == 0) __threadfence();
    if (atomicAdd(counter, 1u) != gridDim.x - 1) return;
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; b++) sum += parts[b];
    y[0] = sum;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    float* parts;
    unsigned* counter;
    cudaMalloc(&parts, 4 * sizeof(float));
    cudaMalloc(&counter, sizeof(unsigned));
    cudaMemset(counter, 0, sizeof(unsigned));
    k<<<4, 64>>>(x, y, parts, counter);
    cudaFree(parts);
    cudaFree(counter);
    return cudaGetLastError();
}

// All threads load sums[0] in the source, and thread 0 alone uses it: g++ and nvcc move the load into the branch. One warp makes it,
// with one wavefront; ncu counts the same for dot_product, whose block_sum ends so.
// n: 64
// compiler: g++
// Total: shared_load_wavefronts 1, shared_store_wavefronts 2
__global__ void first(const float* x, float* y) {
    __shared__ float sums[64];
    sums[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const float sum = sums[0];
    if (threadIdx.x == 0) y[0] = sum;
}

extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    first<<<1, 64, 0, stream>>>(x, y);
    return cudaGetLastError();
}

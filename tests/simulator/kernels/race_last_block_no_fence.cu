// As clean_last_block, but nothing makes the partial sums visible before the counter.
// n: 256
__device__ unsigned arrived = 0;
__global__ void k(const float* in, float* out, float* partial) {
    int t = threadIdx.x;
    if (t == 0) {
        partial[blockIdx.x] = in[blockIdx.x];  // <- race-global partial
        if ((atomicAdd(&arrived, 1u) + 1) % gridDim.x == 0) {  // in every call
            float sum = 0.0f;
            for (int b = 0; b < gridDim.x; b++) sum += partial[b];
            out[0] = sum;
        }
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    float* partial;
    cudaMalloc(&partial, 8 * sizeof(float));
    k<<<8, 32>>>(x, y, partial);
    cudaFree(partial);
    return cudaGetLastError();
}

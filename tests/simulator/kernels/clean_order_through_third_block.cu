// Block 0 hands its row to block 2 by way of block 1, which only passes the word on.
// n: 64
// Result: x
__global__ void k(const float* x, float* y, float* row, int* flags) {
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        row[t] = x[t];
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(&flags[0], 1);
        }
        return;
    }
    const int before = blockIdx.x - 1;
    if (t == 0) {
        while (atomicAdd(&flags[before], 0) == 0) {}
        __threadfence();
        atomicExch(&flags[before + 1], 1);
    }
    __syncthreads();
    if (blockIdx.x == 2) y[t] = row[t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    float* row;
    int* flags;
    cudaMalloc(&row, n * sizeof(float));
    cudaMalloc(&flags, 3 * sizeof(int));
    cudaMemset(flags, 0, 3 * sizeof(int));
    k<<<3, n>>>(x, y, row, flags);
    cudaFree(row);
    cudaFree(flags);
    return cudaGetLastError();
}

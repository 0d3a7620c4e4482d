// Thread 0 waits for a flag that thread 40 sets: a loop that only others can end.
// n: 64
// Result: np.where(np.arange(n) == 0, x[40], x)
__global__ void k(const float* in, float* out, int* flag) {
    int t = threadIdx.x;
    if (t == 40) {
        out[40] = in[40];
        __threadfence();
        atomicExch(flag, 1);
    } else if (t == 0) {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        out[0] = out[40];
    } else {
        out[t] = in[t];
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    int* flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    k<<<1, 64>>>(x, y, flag);
    cudaFree(flag);
    return cudaGetLastError();
}

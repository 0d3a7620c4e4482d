// The tree's result is read by all and the array used again with no barrier between: thread 0's second store may
// come before others have read the first result.
// n: 64
__global__ void k(const float* in, float* out) {
    __shared__ float tree[64];
    int t = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        tree[t] = in[t];  // <- race-shared tree
        __syncthreads();
        for (int half = 32; half > 0; half /= 2) {
            if (t < half) tree[t] += tree[t + half];
            __syncthreads();
        }
        out[t] = tree[0];
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}

// The textbook tree with every barrier in its place.
// n: 64
// Result: np.full_like(x, tree(x))
__global__ void k(const float* in, float* out) {
    __shared__ float tree[64];
    int t = threadIdx.x;
    tree[t] = in[t];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) tree[t] += tree[t + half];
        __syncthreads();
    }
    out[t] = tree[0];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}

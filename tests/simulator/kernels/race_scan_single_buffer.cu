// The same scan in one buffer: an element is overwritten while a neighbour still reads it.
// n: 64
__global__ void k(const float*, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = 1.0f;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t >= d) s[t] += s[t - d];  // <- race-shared s
        __syncthreads();
    }
    out[t] = s[t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}

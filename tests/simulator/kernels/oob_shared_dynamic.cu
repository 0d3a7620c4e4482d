// The launch asks for half of what the kernel uses.
// n: 128
__global__ void k(const float* in, float* out) {
    extern __shared__ float row[];
    int t = threadIdx.x;
    row[t] = in[t];  // <- out-of-bounds-shared-write row
    __syncthreads();
    out[t] = row[t];  // <- out-of-bounds-shared-read row
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 128, 64 * sizeof(float)>>>(x, y);
    return cudaGetLastError();
}

// One element more than declared: the thread with the highest index writes past the array.
// n: 128
__global__ void k(const float* in, float* out) {
    __shared__ float tile[128];
    int t = threadIdx.x;
    tile[t + 1] = in[t];  // <- out-of-bounds-shared-write tile
    __syncthreads();
    out[t] = t ? tile[t] : 0.0f;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 128>>>(x, y);
    return cudaGetLastError();
}

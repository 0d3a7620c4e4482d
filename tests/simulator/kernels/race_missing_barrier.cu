// Neighbours read what others have just stored; warp 0's last lane reads what warp 1 stores later or earlier.
// n: 64
__global__ void k(const float* in, float* out) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];  // <- race-shared tile
    out[t] = tile[63 - t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}

// A tile of 32 x 32 read by column: 32 words in one bank, 32 wavefronts where 1 would do, in each of 32 warps.
// n: 1024
// Result: x.reshape(32, 32).T.ravel()
// Total: load_requests 32, load_sectors 128, store_requests 32, store_sectors 128, barriers 1
__global__ void k(const float* in, float* out) {
    __shared__ float tile[32][32];
    int c = threadIdx.x, r = threadIdx.y;
    tile[r][c] = in[r * 32 + c];  // = shared_store_wavefronts 32, shared_store_conflicts 0
    __syncthreads();
    out[r * 32 + c] = tile[c][r];  // = shared_load_wavefronts 1024, shared_load_conflicts 992
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, dim3(32, 32)>>>(x, y);
    return cudaGetLastError();
}

// 40 threads of 64 have work: one full warp and one of 8 lanes (1 sector).
// n: 40
// Result: x
// Total: load_requests 2, load_sectors 5, store_requests 2, store_sectors 5
__global__ void k(const float* in, float* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    out[t] = in[t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 64>>>(x, y, n);
    return cudaGetLastError();
}

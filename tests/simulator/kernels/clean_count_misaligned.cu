// Shifted by one element: 128 bytes that begin 4 bytes into a sector touch 5 sectors.
// n: 33
// Result: np.concatenate([x[1:], x[:1]])
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    out[t] = in[t + 1];  // = load_requests 1, load_sectors 5, store_requests 1, store_sectors 4
    if (t == 0) out[32] = in[0];  // = load_requests 1, load_sectors 1, store_requests 1, store_sectors 1
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

// Even and odd lanes take different branches: each branch's load is a request of its own with half the lanes. The even
// lanes' elements lie in 4 sectors, the odd ones' too.
// n: 32
// Result: np.where(np.arange(n) % 2 == 0, x, -x)
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    if (t % 2 == 0) {
        out[t] = in[t];  // = load_requests 1, load_sectors 4, store_requests 1, store_sectors 4
    } else {
        out[t] = -in[t];  // = load_requests 1, load_sectors 4, store_requests 1, store_sectors 4
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

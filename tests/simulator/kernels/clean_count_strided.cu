// A stride of 2: each lane's 4 bytes are 8 apart, so 32 lanes touch 256 bytes = 8 sectors where 4 would do.
// n: 64
// Result: np.where(np.arange(n) % 2 == 0, x, np.float32(0))
// Total: load_requests 1, load_sectors 8, store_requests 3, store_sectors 16
// Stores: the memset is no kernel; y[2t] 1 request of 8 sectors, and the zeros by 32 lanes in 2 requests of 4 each.
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    out[t] = 0.0f;       // = store_requests 1, store_sectors 4
    out[32 + t] = 0.0f;  // = store_requests 1, store_sectors 4
    __syncthreads();
    out[2 * t] = in[2 * t];  // = load_requests 1, load_sectors 8, store_requests 1, store_sectors 8
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

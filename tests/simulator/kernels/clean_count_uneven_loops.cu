// Lane t goes round t + 1 times: in step i the lanes from i on take part and all read x[i]. 32 requests of one sector.
// n: 32
// Result: np.cumsum(x, dtype=np.float32)
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i <= t; i++) sum += in[i];  // = load_requests 32, load_sectors 32
    out[t] = sum;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

// Volatile loads and stores are loads and stores: requests and sectors, no atomics.
// n: 32
// Result: x + 1
// Total: load_requests 1, load_sectors 4, store_requests 1, store_sectors 4, atomics 0
__global__ void k(const volatile float* in, volatile float* out) {
    float value = in[threadIdx.x];  // = load_requests 1, load_sectors 4
    out[threadIdx.x] = value + 1;  // = store_requests 1, store_sectors 4
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

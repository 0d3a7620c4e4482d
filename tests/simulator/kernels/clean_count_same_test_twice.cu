// The same test before and after a barrier: a warp does once what stands between, whichever of its lanes pass the test.
// A compiler that goes from the first test to the second by two ways has lanes 0 to 7 load apart from the others.
// n: 256
// Result: np.concatenate([x[:8] + x[:8], x[8:]])
// Total: load_requests 8, store_requests 8, shared_load_wavefronts 1, shared_store_wavefronts 1, barriers 2
__global__ void twice(const float* x, float* y) {
    __shared__ float kept[8];
    int t = threadIdx.x;
    if (t < 8) kept[t] = 1;
    __syncthreads();
    float v = x[t];  // = load_requests 8, load_sectors 32
    __syncthreads();
    if (t < 8) v *= 1 + kept[t];
    y[t] = v;  // = store_requests 8, store_sectors 32
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    twice<<<1, 256>>>(x, y);
    return cudaGetLastError();
}

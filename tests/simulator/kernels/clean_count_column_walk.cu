// One thread per row of 32 x 32: in each step the 32 lanes are 128 bytes apart, a sector each. 32 steps.
// n: 1024
// Result: x
__global__ void k(const float* in, float* out) {
    int row = threadIdx.x;
    for (int c = 0; c < 32; c++)
        out[row * 32 + c] = in[row * 32 + c];  // = load_requests 32, load_sectors 1024, store_requests 32, store_sectors 1024
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

// A naive 16 x 16 matrix product by one block of 256 threads: in each of 16 steps a warp (two rows of 16) reads a[r][k]
// of two rows (2 sectors) and b[k][0..15] (64 bytes = 2 sectors). 8 warps x 16 steps.
// n: 256
// Result: product(x)
__global__ void k(const float* a, const float* b, float* c) {
    int r = threadIdx.x / 16, col = threadIdx.x % 16;
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) {
        float left = a[r * 16 + k];  // = load_requests 128, load_sectors 256
        sum += left * b[k * 16 + col];  // = load_requests 128, load_sectors 256
    }
    c[threadIdx.x] = sum;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 256>>>(x, x, y);
    return cudaGetLastError();
}

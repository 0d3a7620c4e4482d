// All threads of several blocks meet at a named barrier, and read what a few of them stored before it.
// n: 1024
// Result: x * 0 + 2 * np.float32(3)
__global__ void k(float* y) {
    __shared__ float tops[2];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) tops[warp] = 3.0f;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    float sum = 0.0f;
    for (int w = 0; w < 2; ++w) sum += tops[w];
    y[blockIdx.x * 64 + threadIdx.x] = sum;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<(unsigned)(n / 64), 64, 0, stream>>>(y);
    return cudaGetLastError();
}

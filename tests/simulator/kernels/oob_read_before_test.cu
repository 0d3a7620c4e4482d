// The loads stand before the test that guards the store alone: out of bounds, although nothing comes of them.
// n: 1000
// compiler: g++
__global__ void copy(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const float twice = 2.0f * x[i];  // <- out-of-bounds-read x
    if (i < n) y[i] = twice;
}

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    copy<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}

// The guard is missing: the last block has 24 threads too many, which read past x and write past y.
// n: 1000
__global__ void copy(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];  // <- out-of-bounds-read x
    out[i] = v;  // <- out-of-bounds-write y
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    copy<<<(n + 255) / 256, 256, 0, stream>>>(x, y);
    return cudaGetLastError();
}

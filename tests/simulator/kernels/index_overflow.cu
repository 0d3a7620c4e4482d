// row * cols in int, where the product needs more than 31 bits.
// n: 32
__global__ void k(const float* in, float* out, int row, int cols) {
    int i = row * cols;  // <- integer-overflow
    out[threadIdx.x] = in[threadIdx.x] + (i == 0);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y, 65536, 65537);
    return cudaGetLastError();
}

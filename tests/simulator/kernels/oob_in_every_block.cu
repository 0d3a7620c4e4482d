// Every block but the last reads past the end in the same line, and the first of them comes to it last.
// n: 8192
__global__ void k(const float* x, float* y, int64_t n) {
    __shared__ float turns;
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        turns = 0.0f;
        for (int64_t j = 0; blockIdx.x == 0 && j < n; j++) turns += x[j];
    }
    __syncthreads();
    y[i] = turns + x[blockIdx.x + 1 == gridDim.x ? i : n + threadIdx.x];  // <- out-of-bounds-read x
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<n / 256, 256>>>(x, y, n);
    return cudaGetLastError();
}

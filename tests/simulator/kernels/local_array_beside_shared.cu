// Shared arrays of as many elements as the thread's own one, in the same line: it is the thread's own whose end is passed,
// below its beginning.
// n: 64
__global__ void k(const float* in, float* out, int n) {
    __shared__ float tile[8][4];
    __shared__ float row[4];
    float sums[4] = {};
    if (threadIdx.x < 32) tile[threadIdx.x / 4][threadIdx.x % 4] = in[threadIdx.x];
    if (threadIdx.x < 4) row[threadIdx.x] = 1;
    __syncthreads();
    for (int i = 0; i < 4; i++) sums[i] += tile[threadIdx.x / 8][i] * row[i];
    out[threadIdx.x] = sums[n] + tile[n + 1][2] + sums[1];  // <- array-bounds sums
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y, -1);
    return cudaGetLastError();
}

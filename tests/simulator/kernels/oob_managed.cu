// A kernel past the end of managed memory.
// n: 32
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x + 1]; }  // <- out-of-bounds-read in
extern "C" cudaError_t run(const float*, float* y, int64_t n, cudaStream_t stream) {
    float* in;
    cudaMallocManaged(&in, n * sizeof(float));
    for (int i = 0; i < n; i++) in[i] = 1.0f;
    k<<<1, 32, 0, stream>>>(in, y);
    cudaFree(in);
    return cudaGetLastError();
}

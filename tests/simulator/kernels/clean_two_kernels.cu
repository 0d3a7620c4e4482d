// What one kernel writes the next may read: launches on a stream are ordered.
// n: 128
// Result: x[::-1]
__global__ void copy(const float* in, float* out) { out[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x]; }
__global__ void reverse(const float* in, float* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[127 - i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    float* work = nullptr;
    if (cudaError_t error = cudaMalloc(&work, n * sizeof(float))) return error;
    copy<<<4, 32, 0, stream>>>(x, work);
    reverse<<<4, 32, 0, stream>>>(work, y);
    cudaError_t error = cudaGetLastError();
    cudaFree(work);
    return error;
}

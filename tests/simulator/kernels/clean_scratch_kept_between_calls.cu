// A work buffer allocated once, kept in a static variable.
// n: 64
// Result: x
__global__ void k(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    static float* work = nullptr;
    if (!work) {
        if (cudaError_t error = cudaMalloc(&work, n * sizeof(float))) return error;
    }
    k<<<1, 64>>>(x, work);
    k<<<1, 64>>>(work, y);
    return cudaGetLastError();
}

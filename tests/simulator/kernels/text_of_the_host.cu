// nan() makes a number of a text, which it reads: here the host's.
// status: cudaErrorIllegalAddress
// n: 32

__global__ void k(const char* text, float* y) {
    y[threadIdx.x] = (float)nan(text);
}

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    static char text[] = "0x7";
    k<<<1, 32, 0, stream>>>(text, y);  // <- host-pointer
    return cudaGetLastError();
}

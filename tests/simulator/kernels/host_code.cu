// A function of the host that a pointer leads a kernel to, which no GPU could run.
// status: cudaErrorIllegalAddress
// n: 32

typedef float (*Function)(float);

static float half_of(float v) {  // <- host-pointer
    return v / 2;
}

__global__ void k(const float* x, float* y, Function f) { y[threadIdx.x] = f(x[threadIdx.x]); }

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, half_of);
    return cudaGetLastError();
}

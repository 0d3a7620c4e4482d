// An array that a device function takes with its extent, and reads past it.
// n: 64
// status: cudaErrorIllegalAddress
template <int N>
__device__ float sum(const float (&v)[N], int n) {
    float total = 0;
    for (int i = 0; i < n; i++) total += v[i];  // <- array-bounds v
    return total;
}
__global__ void k(const float* in, float* out, int n) {
    float own[3] = {in[0], in[1], in[2]};
    out[threadIdx.x] = sum(own, n);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y, 4);
    return cudaGetLastError();
}

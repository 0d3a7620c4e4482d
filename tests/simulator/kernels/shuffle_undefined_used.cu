// The value of a lane that takes no part reaches a store, a branch, an address; whatever it is by chance.
// n: 20
__global__ void largest(const float* in, float* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    float v = in[t];
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(0xffffffffu, v, d));  // <- absent-lane
    if (t == 0) out[0] = v;
}
__global__ void smallest(const float* in, float* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    float v = in[t];
    for (int d = 16; d > 0; d /= 2) v = fminf(v, __shfl_xor_sync(0xffffffffu, v, d));  // <- absent-lane
    if (t == 0) out[1] = v;
}
__global__ void branch(float* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    int above = __shfl_up_sync(0xfffffffeu & ~(1u << 3), t, 1);  // <- lane-outside-mask, absent-lane
    if (t == 4 && above > 0) out[2] = 1;
}
__global__ void address(const float* in, float* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    int at = __shfl_sync(0xffffffffu, t, 31);  // <- absent-lane
    out[3] = in[at & 15];
}
__global__ void all(unsigned* out, int64_t n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned v = 1;
    for (int d = 16; d > 0; d /= 2) v &= __shfl_down_sync(0xffffffffu, v, d);  // <- absent-lane
    if (t == 0) out[4] = v;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    largest<<<1, 32>>>(x, y, n);
    smallest<<<1, 32>>>(x, y, n);
    branch<<<1, 32>>>(y, n);
    address<<<1, 32>>>(x, y, n);
    all<<<1, 32>>>((unsigned*)y, n);
    return cudaGetLastError();
}

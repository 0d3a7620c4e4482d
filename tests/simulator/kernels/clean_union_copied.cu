// A union that holds a vector, returned and assigned.
// n: 128
// Result: x + 1
union Pack {
    uint4 raw;
    float f[4];
};
__device__ Pack load(const float* p) {
    Pack u;
    u.raw = *reinterpret_cast<const uint4*>(p);
    return u;
}
__global__ void k(const float* in, float* out) {
    Pack u = load(in + 4 * threadIdx.x), v = {u.raw};
    v = u;
    for (float& value : v.f) value += 1;
    *reinterpret_cast<uint4*>(out + 4 * threadIdx.x) = v.raw;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y);
    return cudaGetLastError();
}

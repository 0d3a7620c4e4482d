// A float4 from an address that is no multiple of 16.
// n: 64
// status: cudaErrorMisalignedAddress
__global__ void k(const float* in, float* out) {
    float4 v = *reinterpret_cast<const float4*>(in + 1);  // <- misaligned-access x
    out[threadIdx.x] = v.x;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 1>>>(x, y);
    return cudaGetLastError();
}

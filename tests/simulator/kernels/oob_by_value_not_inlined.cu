// The last lane loads a vector behind the end, as an argument of a function that is not inlined.
// n: 128
__device__ __noinline__ float far(float4 v) { return v.x + v.y; }
__global__ void k(const float4* in, float* out) {
    out[threadIdx.x] = far(in[threadIdx.x + 1]);  // <- out-of-bounds-read x
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>((const float4*)x, y);
    return cudaGetLastError();
}

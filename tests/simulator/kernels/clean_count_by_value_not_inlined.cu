// Vectors passed by value to functions that are not inlined, by request and by recursion: each load is counted and checked.
// n: 256
__device__ __noinline__ float far(float4 v) { return v.x + v.y; }
__device__ float deep(float4 v, int n) { return n ? deep(v, n - 1) + v.x - v.y : v.y; }


__global__ void pass(const float4* in, float2* out) {
    const int t = threadIdx.x;
    const float a = far(in[t]);  // = load_requests 1, load_sectors 16
    const float b = deep(in[t + 32], 0);  // = load_requests 1, load_sectors 16
    out[t] = float2{a, b};  // = store_requests 1, store_sectors 8
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    pass<<<1, 32, 0, stream>>>((const float4*)x, (float2*)y);
    return cudaGetLastError();
}

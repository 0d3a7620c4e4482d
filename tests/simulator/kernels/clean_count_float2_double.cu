// 8 bytes a lane: 256 bytes = 8 sectors in one request; in shared memory two wavefronts and no conflict.
// n: 64
// Result: x
__global__ void k(const float* in, float* out) {
    __shared__ double s[32];
    int t = threadIdx.x;
    float2 v = reinterpret_cast<const float2*>(in)[t];  // = load_requests 1, load_sectors 8
    s[t] = v.x;  // = shared_store_wavefronts 2, shared_store_conflicts 0
    __syncwarp();
    reinterpret_cast<float2*>(out)[t] = make_float2((float)s[t], v.y);  // = store_requests 1, store_sectors 8
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

// A vector passed by value to a device function is loaded by the kernel: 16 bytes a lane, 16 sectors a request.
// n: 128
// Result: np.repeat(((x[0::4] + x[1::4]) + x[2::4]) + x[3::4], 4)
// Total: load_requests 1, load_sectors 16, store_requests 4
__device__ float total(float4 v) { return v.x + v.y + v.z + v.w; }
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    float sum = total(*(const float4*)(in + 4 * t));  // = load_requests 1, load_sectors 16
    for (int i = 0; i < 4; i++) out[4 * t + i] = sum;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}

// One byte a lane: 32 bytes, one sector a request.
// n: 8
// Result: x
__global__ void k(const unsigned char* in, unsigned char* out) {
    out[threadIdx.x] = in[threadIdx.x];  // = load_requests 1, load_sectors 1, store_requests 1, store_sectors 1
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>(reinterpret_cast<const unsigned char*>(x), reinterpret_cast<unsigned char*>(y));
    return cudaGetLastError();
}

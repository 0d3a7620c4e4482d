// Each thread guards its index; n is no multiple of the block.
// n: 1000
// Result: x + x
// Total: load_requests 64, load_sectors 250, store_requests 32, store_sectors 125
// A sector holds 8 floats: 1000 / 8 = 125 sectors a pass, two loads, one store.
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, x, y, n);
    return cudaGetLastError();
}

// Two branches of a warp load a matrix each: no lane's row is the other's.
// n: 64
__global__ void k(const float* in, float* out, int64_t) {
    __shared__ alignas(16) float tile[32];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    unsigned r, at = __cvta_generic_to_shared(tile + threadIdx.x % 8 * 4);
    if (threadIdx.x % 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at));  // <- mismatched-collective
    out[threadIdx.x] = __uint_as_float(r);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}

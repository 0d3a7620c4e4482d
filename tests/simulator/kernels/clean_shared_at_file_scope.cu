// Shared memory declared outside of any function.
// n: 64
// Result: x[::-1] + x
extern __shared__ float dynamic_part[];
__shared__ float fixed_part[64];
namespace inner { __shared__ int flag; }
__global__ void k(const float* in, float* out) {
    int t = threadIdx.x;
    dynamic_part[t] = in[t];
    fixed_part[63 - t] = in[t];
    if (t == 0) inner::flag = 1;
    __syncthreads();
    if (inner::flag) out[t] = fixed_part[t] + dynamic_part[t];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64, 64 * sizeof(float)>>>(x, y);
    return cudaGetLastError();
}

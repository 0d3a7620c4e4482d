// One atomic operation adds a vector of floats: 64 threads to 2 of four and 64 to 4 of two.
// n: 64
// arch: sm_90
// Result: np.concatenate([np.tile([32, 64, 96, 128], 2), np.tile([16, 32], 4), np.zeros(48)])
// Total: atomics 128
__global__ void k(float* out) {
    const int t = threadIdx.x;
    atomicAdd((float4*)out + t % 2, make_float4(1.0f, 2.0f, 3.0f, 4.0f));
    atomicAdd((float2*)(out + 8) + t % 4, make_float2(1.0f, 2.0f));
}
extern "C" cudaError_t run(const float*, float* y, int64_t n, cudaStream_t stream) {
    cudaMemsetAsync(y, 0, n * sizeof(float), stream);
    k<<<1, 64, 0, stream>>>(y);
    return cudaGetLastError();
}

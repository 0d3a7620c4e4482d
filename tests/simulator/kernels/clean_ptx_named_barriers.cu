// Two warps make, two use: one stage, two barriers of 128 threads. Who makes arrives at "full" and waits at "empty".
// n: 512
// Result: 2 * x
__device__ void meet(int number) { asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(128) : "memory"); }
__device__ void arrive(int number) { asm volatile("bar.arrive %0, 128;" ::"r"(number) : "memory"); }

__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ float stage[64];
    enum { FULL = 1, EMPTY };
    const int i = threadIdx.x % 64;
    for (int at = 0; at < n; at += 64) {
        if (threadIdx.x < 64) {
            if (at) meet(EMPTY);
            stage[i] = in[at + i];
            arrive(FULL);
        } else {
            meet(FULL);
            out[at + i] = 2 * stage[63 - i + 2 * i - 63];
            if (at + 64 < n) arrive(EMPTY);
        }
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 128, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}

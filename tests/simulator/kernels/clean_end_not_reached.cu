// Functions whose end a compiler may not know to be out of reach: no path that is taken lacks its return.
// n: 64
// Result: np.where(np.arange(n) % 2 == 0, x / 2, x * 2)
enum class Way { Half, Twice };
__device__ float apply(Way way, float v) {
    switch (way) {
        case Way::Half: return v / 2;
        case Way::Twice: return v * 2;
    }
}
__device__ float positive(float v) {
    if (v > 0) return v;
    __trap();
}
__global__ void k(const float* in, float* out) {
    const int t = threadIdx.x;
    out[t] = apply(t % 2 == 0 ? Way::Half : Way::Twice, positive(in[t]));
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 64, 0, stream>>>(x, y);
    while (true) {
        if (n > 0) return cudaGetLastError();
    }
}

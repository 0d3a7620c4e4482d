// The ways to declare shared memory.
// n: 32
// Result: x * 4 + np.arange(n)
struct Pair { float a; int b; };
template <typename T, int kRows, int kCols>
__device__ T through(T v, int t) {
    __shared__ T tile[kRows][kCols + 1];
    tile[t / kCols][t % kCols] = v;
    __syncthreads();
    return tile[t / kCols][t % kCols];
}
__global__ void k(const float* in, float* out) {
    __shared__ float a[32], b[32], total;
    __shared__ __align__(16) Pair pairs[32];
    static __shared__ union { float f; int i; } word[32];
    extern __shared__ unsigned char raw[];
    float* dynamic_floats = reinterpret_cast<float*>(raw);
    int t = threadIdx.x;
    a[t] = in[t];
    b[t] = in[t];
    pairs[t].a = in[t];
    pairs[t].b = t;
    word[t].f = in[t];
    dynamic_floats[t] = 0.0f;
    if (t == 0) total = 0.0f;
    __syncthreads();
    float sum = a[t] + b[t] + pairs[t].a + word[t].f + dynamic_floats[t] + total;
    out[t] = through<float, 4, 8>(sum, t) + through<int, 2, 16>(pairs[t].b, t);
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32, 32 * sizeof(float)>>>(x, y);
    return cudaGetLastError();
}

// Kernel templates: arguments deduced, partly given, through a function pointer, from a template function.
// n: 64
// Result: x * 2 + 8
template <typename T>
__global__ void scale(const T* in, T* out, T by) { out[threadIdx.x] = in[threadIdx.x] * by; }
template <int kAdd, typename T>
__global__ void add(T* out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] += kAdd;
}
__global__ void plain(float* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] += 1;
}
template <int kThreads>
cudaError_t both(const float* x, float* y, int64_t n) {
    scale<<<1, kThreads>>>(x, y, 2.0f);
    add<3><<<dim3(2), dim3(kThreads / 2, 1, 1)>>>(y,  // the count is converted as in a call
                                                   (int)n);
    add<2, float><<<1, kThreads>>>(y, n);
    add
        <1>
        <<<
            1, kThreads
        >>>
        (y, n);
    auto pointer = plain;
    pointer<<<1, kThreads>>>(y, n);
    void (*typed)(float*, int) = &plain;
    (*typed)<<<1, kThreads>>>(y, n);
    return cudaGetLastError();
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) { return both<64>(x, y, n); }

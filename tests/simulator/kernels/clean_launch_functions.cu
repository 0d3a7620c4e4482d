// The launch functions instead of the chevrons.
// n: 64
// Result: x + 3
#define LAUNCH(kernel, ...) kernel<<<1, 64>>>(__VA_ARGS__)
template <int kBy>
__global__ void add(const float* in, float* out, float by) { out[threadIdx.x] = in[threadIdx.x] + by * kBy; }
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    float one = 1;
    void* arguments[] = {&x, &y, &one};
    cudaError_t error = cudaLaunchKernel((void*)add<1>, dim3(1), dim3(64), arguments, 0, stream);
    if (error != cudaSuccess) return error;
    const float* y_in = y;
    void* again[] = {(void*)&y_in, (void*)&y, (void*)&one};
    error = cudaLaunchKernel(reinterpret_cast<const void*>(&add<1>), dim3(1), dim3(64), again, 0, stream);
    if (error != cudaSuccess) return error;
    LAUNCH(add<1>, y, y, one);
    return cudaGetLastError();
}

// Host and device share two arrays and a variable, and take turns with them.
// n: 100
// Result: np.where(np.arange(n) < 50, 6, 3)
// Total: bytes_loaded 400, bytes_stored 400
__device__ __managed__ int factor = 2;
__managed__ int calls;
__global__ void scale(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
    if (i == 0) calls++;
}
extern "C" cudaError_t run(const float*, float* y, int64_t n, cudaStream_t stream) {
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float), cudaMemAttachGlobal);
    for (int i = 0; i < n; i++) in[i] = 1.5f;
    cudaMemAdvise(in, n * sizeof(float), cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0});
    cudaMemPrefetchAsync(in, n * sizeof(float), cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream);
    calls = 0;
    scale<<<2, 64, 0, stream>>>(in, out, n);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n / 2; i++) in[i] = out[i];
    factor = 2 * calls;
    scale<<<2, 64, 0, stream>>>(in, out, n);
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaEventRecord(done, stream);
    cudaEventSynchronize(done);
    cudaPointerAttributes kind;
    cudaPointerGetAttributes(&kind, out);
    if (kind.type != cudaMemoryTypeManaged || out[0] != 6.0f || calls != 2) return cudaErrorUnknown;
    cudaMemcpyAsync(y, out, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaFree(in);
    cudaFree(out);
    return cudaGetLastError();
}

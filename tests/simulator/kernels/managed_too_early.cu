// The host reads what a kernel writes without waiting for it. The run goes on: a GPU would hand over old or new values.
// n: 32
// Result: np.full_like(x, 3)
__global__ void k(float* out) { out[threadIdx.x] = 3.0f; }
__global__ void copy(const float* in, float* out, float first) { out[threadIdx.x] = first + 0.0f * in[threadIdx.x]; }
extern "C" cudaError_t run(const float*, float* y, int64_t n, cudaStream_t stream) {
    float* out;
    cudaMallocManaged(&out, n * sizeof(float));
    out[0] = 0.0f;
    k<<<1, 32, 0, stream>>>(out);
    const float first = out[0];  // <- host-too-early out
    copy<<<1, 32, 0, stream>>>(out, y, first);
    cudaStreamSynchronize(stream);
    cudaFree(out);
    return cudaGetLastError();
}

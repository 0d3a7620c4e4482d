// Host to device, with a source that is on the device.
// n: 32
// status: cudaErrorInvalidValue
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    return cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyHostToDevice);  // <- wrong-copy-side
}

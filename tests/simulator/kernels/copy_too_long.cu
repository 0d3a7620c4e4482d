// Elements where bytes are meant, the other way round: four times too long.
// n: 32
// status: cudaErrorInvalidValue
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    return cudaMemcpy(y, x, 4 * n * sizeof(float), cudaMemcpyDeviceToDevice);  // <- copy-out-of-bounds
}

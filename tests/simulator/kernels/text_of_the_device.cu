// Nearly text_of_the_host.cu: the texts are the file's and the device's.
// n: 32

__device__ char numbers[8];

__global__ void k(float* y, int n) {
    const char* text = n > 32 ? "0x3" : "0x7";
    numbers[threadIdx.x % 8] = threadIdx.x % 8 == 7 ? '\0' : '1';
    __syncwarp();
    if (isnan(nanf(text)) && isnan(nan(numbers))) y[threadIdx.x] = 1;
}

extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(y, (int)n);
    return cudaGetLastError();
}

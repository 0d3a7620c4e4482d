// Too much to be checked in a second: the rest is run for its accesses alone, to its end.
#include <cstdio>

__global__ void sums(const float* in, float* out, int turns, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < turns; k++) sum += in[(i + k) % n];
    out[i] = sum;
}

int main() {
    const int blocks = 4000, n = blocks * 128;
    float *in, *out, last;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemset(in, 0, n * sizeof *in);
    sums<<<blocks, 128>>>(in, out, 400, n);  // <- checked-less
    sums<<<1, 128>>>(out, in, 1, n);
    cudaMemcpy(&last, out + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("last %g\n", last);
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}

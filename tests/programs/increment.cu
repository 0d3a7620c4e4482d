// A program with one fault, an index that goes one too far, and a way to end by itself: n, and a status.
#include <cstdio>
#include <cstdlib>

__global__ void increment(const float* a, float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) b[i] = a[i] + 1.0f;  // <- out-of-bounds-read out-of-bounds-write
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    float *a, *b, first;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc((void**)&b, n * sizeof(float));  // <- leak
    cudaMemset(a, 0, n * sizeof(float));
    increment<<<(n + 255) / 256, 256>>>(a, b, n);
    cudaMemcpy(&first, b, sizeof first, cudaMemcpyDeviceToHost);
    printf("first %.1f of %d\n", first, n);
    cudaFree(a);
    if (argc > 2) exit(atoi(argv[2]));
}

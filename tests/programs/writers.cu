// Two threads that write one element, in two lines or in one; from 100 on what is right.
#include <cstdlib>

__global__ void histogram(const int* x, int* out) {
    __shared__ int part[64];
    part[threadIdx.x] = 0;  // <- 1:race-shared
    part[x[threadIdx.x]]++;
    __syncthreads();
    atomicAdd(&out[threadIdx.x], part[threadIdx.x]);
}
__global__ void lower_half(const int* x, int* out) {
    extern __shared__ int buffer[];
    int* values = buffer;
    int* twice = buffer + blockDim.x / 2;
    values[threadIdx.x] = x[threadIdx.x];  // <- 2:race-shared
    twice[threadIdx.x] = 2 * x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x] + twice[threadIdx.x];
}
__global__ void from_both_ends(const int* x, int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;  // <- 3:race-shared
    s[63 - threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void of_all(const int* x, int* out) {
    __shared__ int last;
    last = x[threadIdx.x];  // <- 4:race-shared
    __syncthreads();
    out[threadIdx.x] = last;
}
__global__ void right_histogram(const int* x, int* out) {
    __shared__ int part[64];
    part[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&part[x[threadIdx.x]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], part[threadIdx.x]);
}

int main(int, char** argv) {
    int number = atoi(argv[1]), numbers[64], *x, *out;
    for (int i = 0; i < 64; i++) numbers[i] = i * 31 % 61;
    cudaMalloc(&x, sizeof numbers);
    cudaMalloc(&out, sizeof numbers);
    cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof numbers);
    if (number == 1) histogram<<<1, 64>>>(x, out);
    if (number == 2) lower_half<<<1, 64, 128 * sizeof(int)>>>(x, out);
    if (number == 3) from_both_ends<<<1, 64>>>(x, out);
    if (number == 4) of_all<<<1, 64>>>(x, out);
    if (number == 101) right_histogram<<<1, 64>>>(x, out);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(out);
    return 0;
}

// Mistakes in the corners of CUDA, one for each number on the command line; from 100 on, right programs that look like them.
// `N:code` marks what is said of number N, at its line.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 256;

// Variables of the device: what lies behind one of them is another one.
struct Point {
    float x, y, z;
};
__device__ float steps[16];
__device__ float totals[16];
__device__ float begun[8] = {1};
__device__ Point points[4];
__device__ float rest[18];

__global__ void step_too_far(int n) {
    if (threadIdx.x < n) steps[threadIdx.x] = threadIdx.x;  // <- 1:out-of-bounds-write
    if (threadIdx.x < 16) totals[threadIdx.x] = 0;
}
__global__ void step_back(int n) {
    begun[(int)threadIdx.x - n] = 2;  // <- 2:out-of-bounds-write
}
__global__ void place(int n) {
    points[threadIdx.x + n].y = 3;  // <- 3:out-of-bounds-write
}
__global__ void by_fours(float4* y, int n) {
    y[threadIdx.x] = *reinterpret_cast<float4*>(&rest[4 * threadIdx.x + n]);  // <- 4:out-of-bounds-read 5:misaligned-access
}

int main(int argc, char** argv) {
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    std::vector<float> h(N, 1);
    float *x, *y;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&y, N * sizeof(float));
    cudaMemcpy(x, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    if (which == 1 || which == 101) step_too_far<<<1, 32>>>(which == 1 ? 20 : 16);
    if (which == 2 || which == 102) step_back<<<1, 8>>>(which == 2);
    if (which == 3 || which == 103) place<<<1, 4>>>(which == 3);
    if (which == 4 || which == 104) by_fours<<<1, which == 4 ? 5 : 4>>>((float4*)y, 0);
    if (which == 5) by_fours<<<1, 4>>>((float4*)y, 1);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
}

// One mistake for each number given: what is told of it stands behind the line.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <vector>

__global__ void twice(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}
__global__ void leaves(float* x, int n) {
    if (threadIdx.x >= n) return;
    __syncthreads();  // <- 5:early-return
    x[threadIdx.x] = 1;
}
__global__ void slow(float* x, int turns) {
    float sum = 0;
    for (int i = 0; i < turns; i++) sum += sinf(x[threadIdx.x] + i);  // <- 7:time-limit 11:time-limit
    if (sum == 0.5f) x[threadIdx.x] = sum;
}
__global__ void meets(float* x) {
    while (x[threadIdx.x] < 1) __syncthreads();  // <- 12:time-limit
}
__global__ void before(float* x) {  // what it leaves in front of the next kernel's arrays is not theirs
    __shared__ float large[64];
    large[threadIdx.x] = x[threadIdx.x];
}
__global__ void shifted(float* x, int by) {
    __shared__ float s[64];
    extern __shared__ float more[];
    s[threadIdx.x] = more[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[int(threadIdx.x) - by];      // <- 13:out-of-bounds-shared-read
    more[int(threadIdx.x) - by - 40] = x[threadIdx.x];  // <- 13:out-of-bounds-shared-write
}
__global__ void last(char* x, size_t n) { x[n - 1 - threadIdx.x] = x[0]; }
__device__ volatile int never;
__global__ void endless() {
    while (never == 0) {}  // <- 8:time-limit
}

float table[1024];

int main(int argc, char** argv) {
    const int which = atoi(argv[1]), n = 1 << 12;
    std::vector<float> v(n, 1.0f);
    float stack[64] = {};
    float* d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemset(d, 0, n * sizeof(float));
    if (which == 1) twice<<<n / 256, 256>>>(v.data(), n);  // <- 1:host-pointer
    if (which == 2) twice<<<1, 64>>>(stack, 64);           // <- 2:host-pointer
    if (which == 3) twice<<<4, 256>>>(table, 1024);        // <- 3:host-pointer
    if (which == 4) assert(n == "one"[0]);                 // <- 4:assert-failed
    if (which == 5) leaves<<<1, 64>>>(d, 40);
    if (which == 6) slow<<<1 << 20, 32>>>(d, 100);  // <- 6:time-limit 6:checked-less
    if (which == 7) slow<<<1, 32>>>(d, 1 << 30);
    if (which == 8) endless<<<1, 32>>>();
    if (which == 9) d[0] = 1;  // <- 9:host-touches-device
    if (which == 11) slow<<<1, 1024>>>(d, 1 << 20);
    if (which == 12) meets<<<1, 64>>>(d);
    if (which == 13) before<<<1, 64>>>(d), shifted<<<1, 64, 256>>>(d, 40);
    if (which == 14) {
        rlimit memory{size_t(1) << 30, RLIM_INFINITY};
        getrlimit(RLIMIT_DATA, &memory);
        memory.rlim_cur = size_t(1) << 30;
        setrlimit(RLIMIT_DATA, &memory);
        char *large, *too_large = nullptr;
        cudaMalloc(&large, size_t(512) << 20);  // <- 14:unchecked-memory
        if (cudaMalloc(&too_large, size_t(4) << 30) == cudaSuccess || too_large) return 1;
        last<<<1, 64>>>(large, size_t(512) << 20);
        cudaFree(large);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    if (which == 10) {
        cudaMalloc(&d, 64);  // freed by the reset
        cudaDeviceReset();
        cudaMalloc(&d, 32);  // <- 10:leak
        return 4;
    }
    cudaFree(d);
}

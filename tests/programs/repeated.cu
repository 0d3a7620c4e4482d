// Launches that are made again and again: what is the same each time, and what is not.
#include <cooperative_groups.h>

#include <cstdio>

__device__ int counter;
__managed__ int given;

__global__ void add(const float* a, float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] + 1;
}
__global__ void grow(float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += 1;
}
__global__ void tick() { atomicAdd(&counter, 1); }
__global__ void show(int round) { if (threadIdx.x == 0) printf("round %d\n", round); }
__global__ void twice(int* out) { *out = 2 * given; }
__global__ void copy(const float* from, float* to) { *to = *from; }
// The parts of a sum, which are read again by the launch that has written them.
__global__ void sum(const float* a, float* parts, int n) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    float mine = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += a[i];
    parts[grid.thread_rank()] = mine;
    grid.sync();
    if (grid.thread_rank() > 0) return;
    for (int k = 1; k < grid.size(); k++) parts[0] += parts[k];
}

int main() {
    const int n = 1 << 20;
    float *a, *b, first[2];
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMemset(a, 0, n * sizeof *a);
    for (int i = 0; i < 2000; i++) add<<<n / 256, 256>>>(a, b, n);  // minutes, if each were run
    void* given_to_sum[] = {&b, &a, const_cast<int*>(&n)};
    for (int i = 0; i < 1000; i++)  // minutes, too
        cudaLaunchCooperativeKernel((void*)sum, dim3(8), dim3(128), given_to_sum, 0, nullptr);
    cudaMemcpy(first, a, sizeof *first, cudaMemcpyDeviceToHost);
    printf("sum %g\n", first[0]);
    cudaMemset(a, 0, n * sizeof *a);
    for (int i = 0; i < 3; i++) {
        grow<<<1, 256>>>(b, 256);
        tick<<<1, 32>>>();
        show<<<1, 32>>>(7);
        add<<<1, 256>>>(b, a, 256);
    }
    cudaMemcpy(first, a, sizeof first, cudaMemcpyDeviceToHost);
    int ticks, doubled[2], *out;
    cudaMemcpyFromSymbol(&ticks, counter, sizeof ticks);
    cudaMalloc(&out, sizeof *out);
    for (int i = 0; i < 2; i++) {
        given = 10 + i;
        twice<<<1, 1>>>(out);
        cudaMemcpy(&doubled[i], out, sizeof *out, cudaMemcpyDeviceToHost);
    }
    printf("a %g %g ticks %d doubled %d %d\n", first[0], first[1], ticks, doubled[0], doubled[1]);
    float host[2];
    for (int i = 0; i < 2; i++) {  // what the host writes between two launches is not the same
        float value = 3.0f + i;
        cudaMemcpy(a, &value, sizeof value, cudaMemcpyHostToDevice);
        copy<<<1, 1>>>(a, b);
        cudaMemcpy(&host[i], b, sizeof value, cudaMemcpyDeviceToHost);
    }
    printf("host %g %g\n", host[0], host[1]);
    cudaFree(a);
    cudaFree(b);
    float *c, *d;  // where a and b were: the same addresses, and other memory
    cudaMalloc(&c, n * sizeof *c);
    cudaMalloc(&d, n * sizeof *d);
    cudaMemset(c, 0, n * sizeof *c);
    copy<<<1, 1>>>(c, d);
    cudaMemcpy(host, d, sizeof *host, cudaMemcpyDeviceToHost);
    printf("anew %g\n", host[0]);
    cudaFree(c);
    cudaFree(d);
    cudaFree(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}

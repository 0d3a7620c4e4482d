// A load that moves more than it needs, by an argument, and a column of a shared array: what pictures are for.
#include <cstdlib>

__global__ void strided(const float* x, float* y, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i * by];  // the line that wastes most
}

__global__ void column(const float* x, float* y) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // the worst shared access
}

int main(int argc, char** argv) {
    const int n = 1024, by = argc > 1 ? atoi(argv[1]) : 8;
    float *x, *y;
    cudaMalloc(&x, n * by * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(x, 0, n * by * sizeof(float));
    for (int i = 0; i < 10; i++) column<<<1, dim3(32, 32)>>>(x, y);
    strided<<<n / 128, 128>>>(x, y, by);
    cudaFree(x);
    cudaFree(y);
}

// Programs whose time passes where no clock of the main thread sees it, one for each number on the command line; and answers to a
// host that asks before its work is done.
#include <cooperative_groups.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace cg = cooperative_groups;

__global__ void serve(volatile int* box) {
    while (box[0] == 0) box[2] += 1;  // <- 1:time-limit 2:time-limit
    box[1] = box[0] + 1;
}

__global__ void total(const float* in, float* sums, int n) {
    cg::grid_group grid = cg::this_grid();
    float sum = 0;
    for (long i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i % 1024];
    atomicAdd(&sums[blockIdx.x], sum);
    grid.sync();
    if (grid.thread_rank() == 0)
        for (int i = 1; i < gridDim.x; i++) sums[0] += sums[i];
}

__global__ void one_block(const float* in, float* out, int n) {
    __shared__ float kept[256];
    float sum = 0;
    for (int i = 0; i < n; i++) sum += in[(i + threadIdx.x) % 1024];
    kept[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] = kept[255 - threadIdx.x];
}

__global__ void set(float* x) { x[threadIdx.x] = threadIdx.x; }

int main(int, char** arguments) {
    const int which = atoi(arguments[1]);
    float *x, *out;
    cudaMalloc(&x, 1024 * sizeof(float));
    cudaMalloc(&out, 1024 * sizeof(float));
    cudaMemset(x, 0, 1024 * sizeof(float));
    cudaMemset(out, 0, 1024 * sizeof(float));
    if (which == 1 || which == 2) {
        int* box;
        cudaMallocHost(&box, 3 * sizeof(int));
        box[0] = box[1] = box[2] = 0;
        serve<<<1, 1>>>(box);
        volatile int* seen = box;
        std::thread client([=] {
            seen[0] = 1;
            while (seen[1] == 0)
                if (which == 2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        });
        client.join();
    }
    if (which == 3) {
        std::atomic<int> turns{0};
        std::thread([&] { while (turns >= 0) turns = 1; }).join();  // <- 3:time-limit
    }
    if (which == 4) {
        int n = 1 << 28;
        void* parameters[] = {&x, &out, &n};
        cudaLaunchCooperativeKernel((void*)total, 32, 256, parameters, 0, 0);  // <- 4:time-limit
    }
    if (which == 5) one_block<<<1, 256>>>(x, out, 1 << 22);
    if (which == 6) {
        cudaEvent_t start, stop;
        float ms = -1;
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        cudaEventRecord(start);
        set<<<1, 256>>>(x);
        cudaEventRecord(stop);
        cudaError_t early = cudaEventElapsedTime(&ms, start, stop);  // <- 6:early-time
        printf("%s %g\n", cudaGetErrorName(early), ms);
        cudaError_t stream = cudaStreamQuery(nullptr);
        int polls = 0;
        while (cudaEventQuery(stop) == cudaErrorNotReady) polls++;
        early = cudaEventElapsedTime(&ms, start, stop);
        printf("%s %d %s %d\n", cudaGetErrorName(stream), polls, cudaGetErrorName(early), ms == ms);
    }
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(out);
}

// Threads of the host, each with its stream and its buffers; all go on at once.
#include <cstdio>
#include <thread>
#include <vector>

__global__ void add(int* x, int n, int value) {
    __shared__ int last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) last = value;
    __syncthreads();
    if (i < n) x[i] += last;
}
void work(int id, int* right) {
    const int n = 5000;
    int *h, *d;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&h, n * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    for (int turn = 0; turn < 5; turn++) {
        for (int i = 0; i < n; i++) h[i] = i;
        cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, stream);
        add<<<(n + 255) / 256, 256, 0, stream>>>(d, n, id);
        cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        int same = 0;
        for (int i = 0; i < n; i++) same += h[i] == i + id;
        *right += same == n;
    }
    cudaFreeHost(h);
    cudaFree(d);
    cudaStreamDestroy(stream);
}
int main() {
    std::vector<std::thread> threads;
    std::vector<int> right(6);
    for (int id = 1; id < 6; id++) threads.emplace_back(work, id, &right[id]);
    work(0, &right[0]);
    for (std::thread& t : threads) t.join();
    int sum = 0;
    for (int r : right) sum += r;
    printf("%d\n", sum);
    return sum != 30;
}

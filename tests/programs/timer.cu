// A program that copies std::string in its own file, whose watched copy of its templates the runtime may be linked with.
#include <cstdio>
#include <map>
#include <string>
#include <vector>
__global__ void k(float* x, int n) {
    float v = x[threadIdx.x];
    for (int i = 0; i < n; i++) v = v * 0.5f + 1;
    x[threadIdx.x] = v;
}
struct Timer {
    std::map<std::string, std::vector<float>> times;
    std::map<std::string, int> starts;
    void start(const std::string& name) { starts[name]++; }
    void stop(const std::string& name) { times[name].push_back(starts[name]); }
};
int main() {
    Timer timer;
    float* x;
    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    for (int i = 0; i < 100000; i++) {
        timer.start("k");
        k<<<1, 32>>>(x, 1000000 + i);
        timer.stop("k");
    }
    cudaDeviceSynchronize();
    printf("%zu\n", timer.times.size());
    cudaFree(x);
}

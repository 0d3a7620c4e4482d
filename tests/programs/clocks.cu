// Times that programs take with the host's clocks and with a kernel's own, each told for what it is.
#include <sys/time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

__global__ void set(float* x) { x[threadIdx.x] = 1; }
__global__ void ticks(long long* took) {
    const long long from = clock64();  // <- 5:own-clock
    *took = clock64() - from;
}
__global__ void ticks32(long long* took) {
    const clock_t from = clock();  // <- 6:own-clock
    *took = clock() - from;
}
__global__ void timer(long long* took) {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(*took));  // <- 7:own-clock
}

double seconds() {
    timeval now;
    gettimeofday(&now, nullptr);  // <- 2:early-clock
    return now.tv_sec + 1e-6 * now.tv_usec;
}
double monotonic() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);  // <- 3:own-clock
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int, char** arguments) {
    const int which = atoi(arguments[1]);
    float *x, y[32];
    long long* took;
    double passed = 0;
    cudaMalloc(&x, sizeof y);
    cudaMalloc(&took, sizeof *took);
    if (which == 1) {
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 3; i++) set<<<1, 32>>>(x);
        auto stop = std::chrono::steady_clock::now();  // <- 1:early-clock
        passed = std::chrono::duration<double>(stop - start).count();
    }
    if (which == 2) {
        double start = seconds();
        set<<<1, 32>>>(x);
        passed = seconds() - start;
    }
    if (which == 3) {
        double start = monotonic();
        set<<<1, 32>>>(x);
        cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
        passed = monotonic() - start;
    }
    if (which == 4) {
        clock_t start = clock();
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        set<<<1, 32>>>(x);
        set<<<1, 32, 0, stream>>>(x);
        cudaStreamSynchronize(stream);
        passed = clock() - start;  // <- 4:own-clock
        cudaStreamDestroy(stream);
    }
    if (which == 5) ticks<<<1, 1>>>(took);
    if (which == 6) ticks32<<<1, 1>>>(took);
    if (which == 7) timer<<<1, 1>>>(took);
    if (which == 8) {  // what is measured here is the host's
        set<<<1, 32>>>(x);
        cudaDeviceSynchronize();
        auto start = std::chrono::system_clock::now();
        for (int i = 0; i < 32; i++) y[i] = float(i);
        passed = std::chrono::duration<double>(std::chrono::system_clock::now() - start).count() + y[3];
        std::srand(unsigned(time(nullptr)));
    }
    if (which == 9) {  // the processor's time, of the host alone
        timespec from, to;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        set<<<1, 32>>>(x);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        passed = double(to.tv_nsec - from.tv_nsec);
    }
    cudaDeviceSynchronize();
    std::printf("%d\n", passed >= 0);
    cudaFree(x);
    cudaFree(took);
}

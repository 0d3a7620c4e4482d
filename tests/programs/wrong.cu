// One mistake for each number given: what is told of it stands behind the line.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <vector>

__global__ void twice(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;  // <- 21:use-after-free
}
__global__ void leaves(float* x, int n) {
    if (threadIdx.x >= n) return;
    __syncthreads();  // <- 5:early-return
    x[threadIdx.x] = 1;
}
__global__ void slow(float* x, int turns) {
    float sum = 0;
    for (int i = 0; i < turns; i++) sum += sinf(x[threadIdx.x] + i);  // <- 7:time-limit 11:time-limit 31:time-limit
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
    while (never == 0) {}  // <- 8:time-limit 29:time-limit
}

__global__ void column(float* rows, size_t pitch) { rows[threadIdx.x * pitch] = 1; }  // <- 20:out-of-bounds-write
__global__ void sums(int* x, int n) {
    int i = threadIdx.x, sum = 1;
    if (i < n) sum += __shfl_down_sync(~0u, sum, 16);  // <- 22:absent-lane
    if (i < n) x[i] = sum + sum;
}

__global__ void set(char* x, int n, char value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}
__global__ void count(const char* x, int n, int* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}

float table[1024];

// Two streams on one buffer. Right: 25, each on its part, which ends in the middle of a word, with one sum for both; 26, an
// event between them; 27, the host waits.
void two_streams(int which, char* d) {
    constexpr int n = 1003;
    cudaStream_t one, other;
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    cudaEvent_t done;
    cudaEventCreate(&done);
    int* sum;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    set<<<4, 256, 0, one>>>(d, n, 1);
    cudaEventRecord(done, one);
    if (which == 23) count<<<4, 256, 0, other>>>(d, n, sum);      // <- 23:stream-race
    if (which == 24) cudaMemsetAsync(d + 500, 2, 10, other);      // <- 24:stream-race
    if (which == 25) {
        set<<<4, 256, 0, other>>>(d + n, n, 2);
        count<<<4, 256, 0, one>>>(d, n, sum);
        count<<<4, 256, 0, other>>>(d + n, n, sum);
    }
    if (which == 26) cudaStreamWaitEvent(other, done);
    if (which == 27) cudaStreamSynchronize(one);
    if (which >= 26) count<<<4, 256, 0, other>>>(d, n, sum);
    cudaDeviceSynchronize();
    int h = 0;
    cudaMemcpy(&h, sum, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaFree(sum);
    cudaEventDestroy(done);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
}

// Page-locked memory, while work on a stream uses it. 18 is right, 19 as well: each part is looked at when its stream is done.
void page_locked(int which, float* d, int n) {
    float* h;
    cudaStream_t streams[2];
    for (cudaStream_t& s : streams) cudaStreamCreate(&s);
    cudaMallocHost(&h, n * sizeof(float));
    for (int i = 0; i < n; i++) h[i] = 1;
    if (which == 17 || which == 28) twice<<<n / 256, 256, 0, streams[0]>>>(h, n);
    if (which == 28) h[n / 2] = 1;  // what a host writes for a running kernel is meant
    for (int part = 0; part < 2 && which != 17 && which != 28; part++) {
        const int begin = part * (n / 2 - 100), many = n / 2 - 100;  // not at the edge of a page
        cudaMemcpyAsync(d + begin, h + begin, many * sizeof(float), cudaMemcpyHostToDevice, streams[part]);
        if (which == 16) h[begin + many / 2] = 2;  // <- 16:host-too-early
        twice<<<n / 256, 256, 0, streams[part]>>>(d + begin, many);
        cudaMemcpyAsync(h + begin, d + begin, many * sizeof(float), cudaMemcpyDeviceToHost, streams[part]);
    }
    float sum = 0;
    if (which == 15) sum = h[10];  // <- 15:host-too-early
    if (which == 17) sum = h[n / 4];  // <- 17:mapped-too-early
    if (which == 18) {
        for (int part = 0; part < 2; part++) {
            cudaStreamSynchronize(streams[part]);
            for (int i = 0; i < n / 2 - 100; i++) sum += h[part * (n / 2 - 100) + i];
        }
    }
    if (which == 19) {
        cudaLaunchHostFunc(streams[0], [](void* first) { *static_cast<float*>(first) += 1; }, h);
        cudaEvent_t end;
        cudaEventCreate(&end);
        cudaEventRecord(end, streams[1]);
        while (cudaEventQuery(end) == cudaErrorNotReady) {}
        sum = h[n / 2];
        cudaEventDestroy(end);
    }
    printf("%g\n", sum);
    cudaFreeHost(h);
    for (cudaStream_t s : streams) cudaStreamDestroy(s);
}

struct Rest { char* bytes; };
__global__ void later(const double* values, Rest rest, long far, int turns) {  // checked less when it goes too far
    double sum = rest.bytes[threadIdx.x];
    for (int i = 0; i < turns; i++) sum += values[i % 64 + (blockIdx.x == 10000) * far];  // <- 32:out-of-bounds-read
    if (sum == 0.5) rest.bytes[threadIdx.x] = sum;
}

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
    if ((which >= 15 && which <= 19) || which == 28) page_locked(which, d, n);
    if (which == 20) {
        size_t pitch;
        float* rows;
        cudaMallocPitch(&rows, &pitch, 100 * sizeof(float), 8);
        column<<<1, 8>>>(rows, pitch);
        cudaFree(rows);
    }
    if (which == 21) {
        float* early;
        cudaMalloc(&early, 64 * sizeof(float));
        cudaFree(early);
        twice<<<1, 64>>>(early, 64);
    }
    if (which >= 23 && which <= 27) two_streams(which, reinterpret_cast<char*>(d));
    if (which == 22) sums<<<1, 64>>>(reinterpret_cast<int*>(d), 40);
    if (which == 31) {  // it leaves for the error of a launch that was stopped: what it would have freed is no leak
        slow<<<1, 32>>>(d, 1 << 30);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    }
    if (which == 32) {
        double* values;
        Rest rest;
        cudaMalloc(&values, 64 * sizeof(double));
        cudaMalloc(&rest.bytes, 64);
        cudaMemset(rest.bytes, 0, 64);
        cudaMemset(values, 0, 64 * sizeof(double));
        const long far = (rest.bytes + 64 - reinterpret_cast<char*>(values)) / sizeof(double);
        later<<<1 << 20, 32>>>(values, rest, far, 100);  // <- 32:time-limit 32:checked-less
    }
    if (which == 30) {
        const rlimit little{size_t(16) << 20, RLIM_INFINITY};
        setrlimit(RLIMIT_DATA, &little);
        twice<<<1, 64>>>(d, 64);  // <- 30:no-room
    }
    if (which == 29) {  // the kernel is stopped, and then the host goes on for ever
        endless<<<1, 32>>>();
        for (volatile int turn = 0; turn >= 0;) turn = 1;
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

// Mistakes as people ask about them, one for each number on the command line; from 100 on, right programs that look like them.
// `N:code` marks what is said of number N, at its line.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 1024;
__constant__ float factors[8];

__global__ void square(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];  // <- 1:uninitialised-read
}
__global__ void sizes() {
    for (int i = 0; i < 2; i++) printf("%5zu of %d\n", sizeof(float), i);  // <- 26:no-size
    printf("%llu, %%zu, %ld\n", (unsigned long long)sizeof(float), 3L);
}
__global__ void set(float& value) { value = 1; }
__global__ void sum_rows(const float* p, size_t pitch, float* y, int width) {
    const float* row = (const float*)((const char*)p + threadIdx.x * pitch);
    float s = 0;
    for (int k = 0; k < width; k++)
        s += row[k];  // <- 2:uninitialised-read
    y[threadIdx.x] = s;
}
__global__ void reversed(float* x, int n) {
    extern __shared__ double s[];
    s[threadIdx.x] = x[threadIdx.x];  // <- 3:out-of-bounds-shared-write
    __syncthreads();
    x[threadIdx.x] = s[n - 1 - threadIdx.x];  // <- 3:out-of-bounds-shared-read
}
// An object that frees its memory, whose copies free it again.
struct Buffer {
    float* p;
    explicit Buffer(int n) {
        cudaMalloc(&p, n * sizeof(float));
        cudaMemset(p, 0, n * sizeof(float));
    }
    ~Buffer() {
        cudaFree(p);  // <- 5:bad-free 6:bad-free
    }
};
__global__ void one(float* p) { p[threadIdx.x] = 1; }
__global__ void two(Buffer b) {
    b.p[threadIdx.x] = 2;  // <- 6:use-after-free
}
void by_value(Buffer b) { one<<<1, 32>>>(b.p); }
// One that is not the owner has nothing to free, and is copied as it likes.
struct Owner {
    float* p;
    bool owns = true;
    explicit Owner(int n) { cudaMalloc(&p, n * sizeof(float)); }
    Owner(const Owner& other) : p(other.p), owns(false) {}
    ~Owner() {
        if (owns) cudaFree(p);
    }
};
__global__ void three(Owner o) { o.p[threadIdx.x] = 3; }
// Objects with virtual functions: made by the host, and where they are used.
struct Shape {
    __host__ __device__ virtual float area() const = 0;
    __host__ __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __host__ __device__ explicit Square(float side) : side(side) {}
    __host__ __device__ float area() const override { return side * side; }
};
__global__ void area_of(Shape* shape, float* y) { *y = shape->area(); }
__global__ void make(Shape** shapes) { shapes[threadIdx.x] = new Square(threadIdx.x); }
__global__ void areas(Shape** shapes, float* y) { y[threadIdx.x] = shapes[threadIdx.x]->area(); }
__global__ void drop(Shape** shapes) { delete shapes[threadIdx.x]; }
// Blocks that wait for one another.
__global__ void hand_over(int* data, int* flag, int* out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = 42;
        *flag = 1;  // <- 8:race-global
    } else {
        while (*flag == 0) {
        }
        *out = *data;
    }
}
__device__ volatile int arrived;
__global__ void meet(int* y) {
    if (threadIdx.x == 0) {
        atomicAdd((int*)&arrived, 1);
        while (arrived < gridDim.x);  // <- 9:time-limit
    }
    y[blockIdx.x] = 1;
}
__global__ void strides_of_a_block(float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        x[i] += 1;  // <- 10:race-global
}
__global__ void strides_of_the_grid(float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] += 1;
}
__global__ void by_thread_alone(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void differences(const float* x, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] - x[i - 1];  // <- 12:out-of-bounds-read
}
__global__ void ring(const float* x, float* y, int n) {
    int i = threadIdx.x;
    y[i] = x[(i - 1) % n] + x[(i + 1) % n];  // <- 13:out-of-bounds-read
}
__global__ void closed_ring(const float* x, float* y, int n) {
    int i = threadIdx.x;
    y[i] = x[(i - 1 + n) % n] + x[(i + 1) % n];
}
__global__ void scaled(float* y) { y[threadIdx.x] = factors[threadIdx.x % 8]; }
__global__ void ended(const float* x, float* y, int n) {
    int i;
    float s = 0;
    for (i = 0; i < n; i++);
    s += x[i];  // <- 20:out-of-bounds-read
    *y = s;
}
__global__ void tile(float* y) {
    __shared__ float t[8][32];
    t[threadIdx.x][threadIdx.y] = 1;  // <- 21:out-of-bounds-shared-write
    __syncthreads();
    y[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.y][threadIdx.x];  // <- 21:uninitialised-read
}
__global__ void halves(const float* x, float* y) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {  // <- 22:odd-tree
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) *y = s[0];
}

float large_local(int n) {
    volatile float large[4 << 20];
    large[n] = 1;  // <- 19:host-crash
    return large[n];
}

int main(int argc, char** argv) {
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    if (which == 16) {
        float* never = nullptr;
        cudaMalloc(&never, size_t(1) << 46);  // <- 16:unasked-error
        one<<<1, 32>>>(never);  // what crashes in it is told behind the cause
        return 0;
    }
    std::vector<float> h(N, 1);
    float *x, *y;
    int* numbers;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&y, N * sizeof(float));
    cudaMalloc(&numbers, N * sizeof(int));
    cudaMemset(numbers, 0, N * sizeof(int));
    if (which != 1 && which != 103) cudaMemcpy(x, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    if (which == 1) {
        cudaMemcpy(x, h.data(), N, cudaMemcpyHostToDevice);
        square<<<4, 256>>>(x, y, N);
    }
    if (which == 103) {  // in two parts, and a part of what is left
        cudaMemcpy(x, h.data(), N, cudaMemcpyHostToDevice);
        cudaMemcpy(x + N / 4, h.data(), 3 * N, cudaMemcpyHostToDevice);
        cudaMemcpy(x, h.data(), N, cudaMemcpyHostToDevice);
        square<<<4, 256>>>(x, y, N);
    }
    if (which == 2 || which == 102) {
        float* rows;
        size_t pitch;
        cudaMallocPitch(&rows, &pitch, 50 * sizeof(float), 16);
        if (which == 2) cudaMemcpy(rows, h.data(), 800 * sizeof(float), cudaMemcpyHostToDevice);
        else cudaMemcpy2D(rows, pitch, h.data(), 50 * sizeof(float), 50 * sizeof(float), 16, cudaMemcpyHostToDevice);
        sum_rows<<<1, 16>>>(rows, pitch, y, 50);
        cudaFree(rows);
    }
    if (which == 3) reversed<<<1, 64, 64>>>(x, 64);
    if (which == 104) reversed<<<1, 64, 64 * sizeof(double)>>>(x, 64);
    if (which == 4) cudaMemcpy(h.data(), x, N, cudaMemcpyHostToDevice);  // <- 4:wrong-copy-side
    if (which == 5) {
        Buffer b(32);
        by_value(b);
        cudaMemcpy(h.data(), b.p, 128, cudaMemcpyDeviceToHost);  // <- 5:use-after-free
    }
    if (which == 6) {
        Buffer b(32);
        two<<<1, 32>>>(b);
        two<<<1, 32>>>(b);
    }
    if (which == 106) {
        Owner o(32);
        three<<<1, 32>>>(o);
        three<<<2, 32>>>(o);
    }
    if (which == 7) {
        Square of_host(3);
        Square* of_device;
        cudaMalloc(&of_device, sizeof of_host);
        cudaMemcpy(of_device, &of_host, sizeof of_host, cudaMemcpyHostToDevice);  // <- 7:virtual-copied
        area_of<<<1, 1>>>(of_device, y);
        cudaFree(of_device);
    }
    if (which == 107) {
        Shape** shapes;
        cudaMalloc(&shapes, 8 * sizeof *shapes);
        make<<<1, 8>>>(shapes);
        areas<<<1, 8>>>(shapes, y);
        drop<<<1, 8>>>(shapes);
        cudaMemcpy(h.data(), y, 8 * sizeof(float), cudaMemcpyDeviceToHost);
        printf("%g\n", h[7]);
        cudaFree(shapes);
    }
    if (which == 8) hand_over<<<2, 32>>>(numbers, numbers + 1, numbers + 2);
    if (which == 9) meet<<<4, 32>>>(numbers);
    if (which == 10) strides_of_a_block<<<4, 128>>>(x, N);
    if (which == 110) strides_of_the_grid<<<4, 128>>>(x, N);
    if (which == 11) {
        by_thread_alone<<<4, 256>>>(x, y);
        cudaMemcpy(h.data(), y, N * sizeof(float), cudaMemcpyDeviceToHost);  // <- 11:unwritten-copy
    }
    if (which == 12) differences<<<1, 128>>>(x, y, 100);
    if (which == 13) ring<<<1, 32>>>(x, y, 32);
    if (which == 113) closed_ring<<<1, 32>>>(x, y, 32);
    if (which == 14) {
        cudaMemcpyToSymbol("factors", h.data(), 4);  // <- 14:bad-symbol
        cudaMemcpyToSymbol(&factors, h.data(), 4);   // <- 14:bad-symbol
    }
    if (which == 114) {
        cudaMemcpyToSymbol(factors, h.data(), 16);
        cudaMemcpyToSymbol(factors, h.data(), 16, 16);
        scaled<<<1, 32>>>(y);
    }
    if (which == 15) {
        cudaEvent_t start, stop;
        float ms;
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        cudaEventRecord(start);
        square<<<4, 256>>>(x, y, N);
        cudaEventElapsedTime(&ms, start, stop);  // <- 15:unasked-error
    }
    if (which == 17) printf("%g\n", x[3]);  // <- 17:host-touches-device
    if (which == 18) free(x);  // <- 18:host-touches-device
    if (which == 19) printf("%g\n", large_local(argc));
    if (which == 20) ended<<<1, 1>>>(x, y, N);
    if (which == 21) tile<<<1, dim3(32, 8)>>>(y);
    if (which == 22) halves<<<1, 100>>>(x, y);
    if (which == 122) halves<<<1, 128>>>(x, y);
    if (which == 23) {
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        square<<<4, 256>>>(x, y, N);  // <- 23:unasked-error
        (void)cudaStreamEndCapture(stream, &graph);
        cudaStreamDestroy(stream);
    }
    if (which == 25) square<<<4, 256>>>(x, y, numbers[0]);  // <- 25:host-touches-device
    if (which == 125) set<<<1, 1>>>(x[0]);
    if (which == 26) sizes<<<1, 1>>>();
    if (which == 24) cudaMalloc((void**)nullptr, 4);  // <- 24:unasked-error
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
    cudaFree(numbers);
}

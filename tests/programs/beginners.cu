// Mistakes as they are asked about where beginners meet: the number on the command line chooses one. `N:code` marks what is
// said of number N, at its line.
#include <cstdio>
#include <cstdlib>
#include <vector>

// 1: neighbours in place, across blocks as well; 2: an index far beyond, in a buffer that another one follows.
__global__ void smooth(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= n - 1) return;
    float left = x[i - 1];
    float right = x[i + 1];
    x[i] = (left + right) / 2;  // <- 1:race-global
}
__global__ void spread(const float* x, float* y) {
    y[threadIdx.x] = x[threadIdx.x * 32768];  // <- 2:out-of-bounds-read
}
// 3 to 6: changes that are lost, in a line, by way of a variable, after a test, in a block alone.
__global__ void histogram(const int* data, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[data[i] % 8] = bins[data[i] % 8] + 1;  // <- 3:race-global
}
__global__ void histogram_by_hand(const int* data, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int old = bins[data[i] % 8];
    bins[data[i] % 8] = old + 1;  // <- 4:race-global
}
__global__ void largest(const int* data, int* best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && data[i] > *best)
        *best = data[i];  // <- 5:race-global
}
__global__ void total_of_block(const int* data, int* out) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    total += data[threadIdx.x];  // <- 6:race-shared
    __syncthreads();
    if (threadIdx.x == 0) *out = total;
}
// 7: columns take the place of rows; 8: one past the last; 9: nobody has written the managed output.
__global__ void grey(const unsigned char* rgb, unsigned char* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int p = x * width + y;
    out[p] = rgb[3 * p] / 3 + rgb[3 * p + 1] / 3 + rgb[3 * p + 2] / 3;  // <- 7:out-of-bounds-read 7:out-of-bounds-write
}
__global__ void reverse(int* x, int n) {
    extern __shared__ int s[];
    s[threadIdx.x] = x[threadIdx.x];  // <- 24:out-of-bounds-shared-write
    __syncthreads();
    x[threadIdx.x] = s[n - threadIdx.x];  // <- 8:out-of-bounds-shared-read 24:out-of-bounds-shared-read
}
__global__ void add(const float* x, float* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += x[i];  // <- 9:uninitialised-read
}
__global__ void add_one(int** rows) {
    rows[threadIdx.y][threadIdx.x] += 1;  // <- 12:host-pointer
}
__global__ void hello() {
    printf("hello from %d\n", threadIdx.x);
}
// 16: an index below 0 of the program's first buffer; 17: the grid is rounded down; 18: nobody writes; 19: the launch gives
// no shared memory; 20: a lock that a plain store gives back; 21: bytes and elements; 22: a tile over the edge; 25: past a variable.
__global__ void blur(const int* data, int* out, int width) {
    if (threadIdx.x < 8) out[threadIdx.x] = data[(int)threadIdx.x - width];  // <- 16:out-of-bounds-read
}
__global__ void square(const int* data, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = data[i] * data[i];  // <- 21:out-of-bounds-write
}
__device__ float steps[8];
__global__ void look_up(float* y) { y[threadIdx.x] = steps[threadIdx.x]; }  // <- 25:out-of-bounds-read
template <class T>
__global__ void pad(T* x) { x[threadIdx.x].a = 1; }
__device__ int counted;
__global__ void count(int* out) {  // 31: the result of all blocks, which may not be there yet
    atomicAdd(&counted, 1);  // <- 31:race-global
    out[blockIdx.x] = counted;
}
__device__ int lock;
__global__ void guarded(int* out) {
    while (atomicCAS(&lock, 0, 1) != 0) {}  // <- 20:race-global
    __threadfence();
    atomicAdd(out, 1);
    lock = 0;
}
__global__ void product(const float* a, float* c, int n) {
    __shared__ float tile[16][16];
    float sum = 0;
    for (int m = 0; m < n; m += 16) {
        tile[threadIdx.y][threadIdx.x] = a[(m + threadIdx.y) * n + threadIdx.x];  // <- 22:out-of-bounds-read
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile[k][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y == 0) c[threadIdx.x] = sum;
}
// 27: the time of work that nobody has waited for; 28: a lambda, with the host's variables by reference; 29: a buffer that
// no launch was given by itself; 32: a member of what lies in a buffer, when another launch was given the address of
// another one; 33: a pointer into a buffer.
template <class F>
__global__ void each(F f) { f(threadIdx.x); }
struct Part { const int* data; };
__global__ void add_part(const Part* part, int* out) { out[threadIdx.x] = part->data[threadIdx.x]; }  // <- 29:uninitialised-read
struct Signals { long long time; int late, latch; };
__global__ void wait_for(const int* latch, int* out) { *out = *latch; }  // <- 32:uninitialised-read 33:uninitialised-read

void managed(bool whole) {  // 9; 10 is right
    const int n = 5000;
    float *x, *sum;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&sum, n * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = i;
    for (int i = 0; whole && i < n; i++) sum[i] = 0;
    for (int k = 0; k < 2; k++) add<<<(n + 255) / 256, 256>>>(x, sum, n);
    cudaDeviceSynchronize();
    printf("%g\n", sum[10]);
    cudaFree(x);
    cudaFree(sum);
}

int main(int argc, char** argv) {
    const int which = atoi(argv[argc - 1]), n = 1024;
    std::vector<int> h(n, 1);
    for (int i = 0; i < n; i++) h[i] = i;
    int *data, *out;
    float *x, *y, *between;
    cudaMalloc(&data, n * sizeof(int));
    cudaMalloc(&out, 8 * sizeof(int));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&between, 1 << 20);
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(data, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 8 * sizeof(int));
    cudaMemset(x, 0, n * sizeof(float));
    if (which == 1) smooth<<<n / 256, 256>>>(x, n);
    if (which == 2) spread<<<1, 64>>>(x, y);
    if (which == 3) histogram<<<n / 256, 256>>>(data, out, n);
    if (which == 4) histogram_by_hand<<<n / 256, 256>>>(data, out, n);
    if (which == 5) largest<<<n / 256, 256>>>(data, out, n);
    if (which == 6) total_of_block<<<1, 256>>>(data, out);
    if (which == 7) {
        const int width = 64, height = 48;
        unsigned char *rgb, *picture;
        cudaMalloc(&rgb, 3 * width * height);
        cudaMalloc(&picture, width * height);
        cudaMemset(rgb, 100, 3 * width * height);
        grey<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(rgb, picture, width, height);
        cudaFree(rgb);
        cudaFree(picture);
    }
    if (which == 8) reverse<<<1, 64, 64 * sizeof(int)>>>(data, 64);
    if (which == 9 || which == 10) managed(which == 10);
    if (which == 11) {
        float *page_locked, *shared;
        cudaMallocHost(&page_locked, n * sizeof(float));  // <- 11:leak
        cudaMallocManaged(&shared, n * sizeof(float));    // <- 11:leak
        page_locked[0] = shared[0] = 1;
    }
    if (which == 12) {
        int *rows[4], **table;
        for (int*& row : rows) row = new int[8];
        cudaMalloc(&table, sizeof rows);
        cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice);
        add_one<<<1, dim3(8, 4)>>>(table);
        cudaFree(table);
    }
    if (which == 13) cudaMemcpy(&data, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);  // <- 13:wrong-copy-side
    if (which == 16) blur<<<1, 64>>>(data, out, 8);
    if (which == 17 || which == 18) {
        const int least = which == 17 ? 0 : n;
        std::vector<float> result(1000);
        square<<<1000 / 256, 256>>>(data, y, 1000 - least);
        cudaMemcpy(result.data(), y, 1000 * sizeof(float), cudaMemcpyDeviceToHost);  // <- 17:unwritten-copy 18:unwritten-copy
    }
    if (which == 19) {
        int** rows;
        cudaMalloc(&rows, 4 * sizeof(int*));
        cudaMalloc(&rows[0], 8 * sizeof(int));  // <- 19:host-touches-device
    }
    if (which == 20) guarded<<<2, 1>>>(out);
    if (which == 31) count<<<2, 1>>>(out);
    if (which == 21) {
        float* short_of_bytes;
        cudaMalloc(&short_of_bytes, n);
        square<<<n / 256, 256>>>(data, short_of_bytes, n);
        cudaFree(short_of_bytes);
    }
    if (which == 22) product<<<1, dim3(16, 16)>>>(x, y, 40);
    if (which == 23) square<<<256, 4096>>>(data, y, n);  // <- 23:bad-launch 23:unasked-error
    if (which == 24) reverse<<<1, 64>>>(data, 64);
    if (which == 25) look_up<<<1, 16>>>(y);
    if (which == 26) {  // what is left out between two members, or copied for the sake of copying, is nobody's mistake
        struct alignas(16) Padded { int a; };
        std::vector<Padded> result(16);
        Padded* padded;
        cudaMalloc(&padded, 16 * sizeof(Padded));
        square<<<1, 16>>>(data, y, 16);
        pad<<<1, 16>>>(padded);
        cudaMemcpy(result.data(), padded, 16 * sizeof(Padded), cudaMemcpyDeviceToHost);
        cudaMemcpy(h.data(), between, n * sizeof(int), cudaMemcpyDeviceToHost);
        cudaFree(padded);
    }
    if (which == 27) {
        cudaEvent_t start, stop;
        float ms;
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        cudaEventRecord(start);
        square<<<1, 16>>>(data, y, 16);
        cudaEventRecord(stop);
        cudaEventElapsedTime(&ms, start, stop);  // <- 27:early-time
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&ms, start, stop);
    }
    if (which == 28) {
        each<<<1, 8>>>([=] __device__(int i) { out[i] = n; });
        const auto doubled = [=] __host__ __device__(int i) { out[i] = 2 * n; };
        each<<<1, 8>>>(doubled);
        each<<<1, 8>>>([&] __device__(int i) { out[i] = which; });  // <- 28:host-pointer
    }
    if (which == 29) {
        Part part, *parts;
        int* unwritten;
        cudaMalloc(&unwritten, 64);
        cudaMalloc(&parts, sizeof part);
        part.data = unwritten;
        cudaMemcpy(parts, &part, sizeof part, cudaMemcpyHostToDevice);
        add_part<<<1, 8>>>(parts, out);
        cudaFree(unwritten);
        cudaFree(parts);
    }
    if (which == 32) {
        Signals* signals;
        cudaMalloc(&signals, sizeof *signals);
        wait_for<<<1, 1>>>(out, &signals->late);
        wait_for<<<1, 1>>>(&signals->latch, out);
        cudaFree(signals);
    }
    if (which == 33) {
        int* part;
        cudaMalloc(&part, 64);
        int* second = part + 8;
        cudaMemset(second, 0, 4);
        wait_for<<<1, 1>>>(second, out);
        wait_for<<<1, 1>>>(part + 9, out);
        cudaFree(part);
    }
    cudaFree(data);
    cudaFree(out);
    cudaFree(x);
    cudaFree(y);
    cudaFree(between);
    if (which == 14) hello<<<1, 2>>>();  // <- 14:unwaited
    if (which == 15) {
        hello<<<1, 2>>>();
        cudaDeviceReset();
    }
}

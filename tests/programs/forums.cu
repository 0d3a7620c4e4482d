// Mistakes as they are posted on forums, one for each number on the command line; from 100 on, right programs that look like
// them. `N:code` marks what is said of number N, at its line.
#include <cooperative_groups.h>
#include <curand_kernel.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;
constexpr int N = 1024, COLUMNS = 6;
__constant__ float weights[16];
__device__ float table[4][COLUMNS];
__device__ float* kept;

__global__ void fill(float* x, float v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v;
}
__global__ void twice(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
// A read and a write of the same element are one finding; of a matrix the element is told by row and column.
__global__ void increment(float* x) {
    x[threadIdx.x] += 1;  // <- 1:out-of-bounds-read
}
__global__ void turned(float* y) {
    __shared__ float tile[8][6];
    tile[threadIdx.y][threadIdx.x] = threadIdx.x;  // <- 2:race-shared
    y[threadIdx.y * 6 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
template <int K>
__global__ void next_in_cube(float* y) {
    __shared__ float cube[2][3][K];
    int t = threadIdx.x;
    cube[t / 12][t / 4 % 3][t % 4] = t;
    __syncthreads();
    y[t] = cube[(t + 1) / 12][(t + 1) / 4 % 3][(t + 1) % 4];  // <- 3:out-of-bounds-shared-read
}
__global__ void to_rows() {
    table[1 + threadIdx.x / 16][2] = threadIdx.x;  // <- 4:race-global
}
// Groups and shuffles in a branch.
__global__ void tile_in_branch(float* x) {
    if (threadIdx.x % 2) {
        cg::thread_block_tile<32> t = cg::tiled_partition<32>(cg::this_thread_block());
        float v = x[threadIdx.x];
        for (int k = 16; k; k /= 2) v += t.shfl_down(v, k);  // <- 5:absent-lane
        if (t.thread_rank() == 1) x[0] = v;
    }
}
__global__ void those_in_branch(float* x) {
    if (threadIdx.x % 2) {
        cg::coalesced_group t = cg::coalesced_threads();
        float v = x[threadIdx.x];
        for (int k = 8; k; k /= 2) v += t.shfl_down(v, k);
        if (t.thread_rank() == 0) x[0] = v;
    }
}
__global__ void half_warp(const float* x, float* y) {
    if (threadIdx.x < 16) {
        float v = x[threadIdx.x];
        for (int k = 8; k; k /= 2) v += __shfl_down_sync(0xffff, v, k, 16);
        if (threadIdx.x == 0) *y = v;
    }
}
// A state of cuRAND for all threads.
__global__ void seed(curandState* s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(7, i, 0, &s[i]);
}
__global__ void draw(curandState* s, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = curand_uniform(&s[i]);
}
__global__ void draw_alike(curandState* s, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = curand_uniform(s);  // <- 6:race-global
}
// Bins of a block, added to those of all without an atomic.
__global__ void histogram(const int* data, int* bins, int n, bool atomic) {
    __shared__ int mine[64];
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&mine[data[i] & 63], 1);
    __syncthreads();
    if (threadIdx.x >= 64) return;
    if (atomic) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
    else bins[threadIdx.x] += mine[threadIdx.x];  // <- 7:race-global
}
__global__ void say(const char* what) {
    if (threadIdx.x == 0) printf("%d %s\n", 1, what);
}
__global__ void keep_shared() {
    __shared__ float s[32];
    s[threadIdx.x] = 1;
    if (threadIdx.x == 0) kept = s;
}
__global__ void use_kept(float* y) {
    y[threadIdx.x] = kept[threadIdx.x];  // <- 10:out-of-bounds-shared-read
}
// The flag of the last block, which the others read before it is set.
__global__ void last_block(int* done, const float* part, float* y) {
    __shared__ bool last;
    if (threadIdx.x == 0) last = atomicAdd(done, 1) == gridDim.x - 1;  // <- 12:race-shared
    if (last) y[threadIdx.x] = part[threadIdx.x];
}
__global__ void last_block_waits(int* done, const float* part, float* y) {
    __shared__ bool last;
    if (threadIdx.x == 0) last = atomicAdd(done, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) y[threadIdx.x] = part[threadIdx.x];
}
__global__ void plane(float* y, int width, int height) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < width && r < height) y[r * width + c] = 1;
}
__global__ void transpose(const float* x, float* y, int rows, int cols) {
    __shared__ float tile[16][16];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = x[r * cols + c];
    __syncthreads();
    if (r < rows && c < cols) y[c * rows + r] = tile[threadIdx.x][threadIdx.y];  // <- 14:uninitialised-read
}
__global__ void sum_behind(float* x, int n) {
    for (int i = 0; i < n; i++) x[n] += x[i];  // <- 15:uninitialised-read
}
__global__ void weigh(float* y) { y[threadIdx.x] = weights[threadIdx.x]; }
__global__ void all_meet(float* x) {
    cg::grid_group g = cg::this_grid();
    if (threadIdx.x == 0) x[blockIdx.x] = 1;
    g.sync();
    if (threadIdx.x == 0) x[8 + blockIdx.x] = x[(blockIdx.x + 1) % gridDim.x];
}
__global__ void carved(float* y, int n) {
    extern __shared__ char raw[];
    float* f = (float*)(raw + 8);
    if (threadIdx.x < 8) raw[threadIdx.x] = 0;
    f[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = f[n - 1 - threadIdx.x] + raw[threadIdx.x % 8];
}
__global__ void scan(float* x, int n) {
    __shared__ float s[2][256];
    int t = threadIdx.x, in = 0;
    s[0][t] = x[t];
    __syncthreads();
    for (int k = 1; k < n; k *= 2) {
        s[1 - in][t] = s[in][t] + (t >= k ? s[in][t - k] : 0);
        in = 1 - in;
        __syncthreads();
    }
    x[t] = s[in][t];
}
__global__ void stencil(const float* x, float* y, int n) {
    __shared__ float s[128 + 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + 1;
    s[l] = i < n ? x[i] : 0;
    if (threadIdx.x == 0) s[0] = i > 0 ? x[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1) s[l + 1] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    if (i < n) y[i] = s[l - 1] + s[l] + s[l + 1];
}
__global__ void bitonic(float* x, int n) {
    int t = threadIdx.x;
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t && ((t & k) == 0) == (x[t] > x[o])) {
                float h = x[t];
                x[t] = x[o];
                x[o] = h;
            }
            __syncthreads();
        }
}
__global__ void last_warp(const float* x, float* y) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t] + x[t + 32];
    for (int k = 16; k; k /= 2) {
        __syncwarp();
        if (t < k) s[t] += s[t + k];
    }
    if (t == 0) *y = s[0];
}
#pragma pack(push, 1)
__device__ int lock, held;
__global__ void locked(bool fenced) {
    if (threadIdx.x) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    if (fenced) __threadfence();
    held++;  // <- 17:race-global
    if (fenced) __threadfence();
    atomicExch(&lock, 0);
}
__global__ void find(const float* x, int n, float wanted, float* at) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (x[i] == wanted) *at = i;
}
struct Packed {
    char tag;
    float value;
};
#pragma pack(pop)
__global__ void unpack(const Packed* p, float* y) { y[threadIdx.x] = p[threadIdx.x].value; }

int main(int argc, char** argv) {
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    std::vector<float> h(N);
    for (int i = 0; i < N; i++) h[i] = (i * 7) % 31;
    float *x, *y, *pinned;
    int* numbers;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&y, N * sizeof(float));
    cudaMalloc(&numbers, N * sizeof(int));
    cudaMemcpy(x, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(y, 0, N * sizeof(float));
    cudaMemset(numbers, 0, N * sizeof(int));
    cudaMallocHost(&pinned, N * sizeof(float));
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEvent_t e;
    cudaEventCreate(&e);
    if (which == 1) increment<<<1, N / 2 + 1>>>(x + N / 2);
    if (which == 2) turned<<<1, dim3(6, 8)>>>(y);
    if (which == 3) next_in_cube<4><<<1, 24>>>(y);
    if (which == 4) to_rows<<<1, 32>>>();
    if (which == 5) tile_in_branch<<<1, 32>>>(x);
    if (which == 105) those_in_branch<<<1, 32>>>(x);
    if (which == 106) half_warp<<<1, 32>>>(x, y);
    if (which == 6 || which == 107) {
        curandState* s;
        cudaMalloc(&s, 512 * sizeof(curandState));
        seed<<<4, 128>>>(s);
        if (which == 6) draw_alike<<<4, 128>>>(s, y);
        else draw<<<4, 128>>>(s, y);
        cudaFree(s);
    }
    if (which == 7 || which == 108) histogram<<<4, 128>>>(numbers, (int*)y, 512, which == 108);
    if (which == 8) {
        char text[] = "two";
        say<<<1, 32>>>(text);  // <- 8:host-pointer
    }
    if (which == 109) {
        char* text;
        cudaMalloc(&text, 4);
        cudaMemcpy(text, "two", 4, cudaMemcpyHostToDevice);
        say<<<1, 32>>>(text);
        cudaFree(text);
    }
    if (which == 9) {
        cudaDeviceReset();
        cudaMemcpy(h.data(), x, N * sizeof(float), cudaMemcpyDeviceToHost);  // <- 9:use-after-free
        return 0;
    }
    if (which == 10) {
        keep_shared<<<1, 32>>>();
        use_kept<<<1, 32>>>(y);
    }
    if (which == 11) {
        cudaStreamDestroy(b);
        fill<<<4, 256, 0, b>>>(x, 3, N);  // <- 11:use-after-free
    }
    if (which == 12) last_block<<<4, 64>>>(numbers, x, y);
    if (which == 110) last_block_waits<<<4, 64>>>(numbers, x, y);
    if (which == 13) {
        float* z;
        cudaMalloc(&z, N * sizeof(float));
        plane<<<dim3(2), dim3(16, 16)>>>(z, 32, 32);
        cudaMemcpy(h.data(), z, N * sizeof(float), cudaMemcpyDeviceToHost);  // <- 13:unwritten-copy
        cudaFree(z);
    }
    if (which == 14) transpose<<<dim3(2, 3), dim3(16, 16)>>>(x, y, 40, 24);
    if (which == 111) transpose<<<dim3(2, 2), dim3(16, 16)>>>(x, y, 32, 32);
    if (which == 15) {
        float* z;
        cudaMalloc(&z, (N + 1) * sizeof(float));
        cudaMemcpy(z, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
        sum_behind<<<1, 1>>>(z, N);
        cudaFree(z);
    }
    if (which == 16) {
        float ms;
        cudaEvent_t f;
        cudaEventCreate(&f);
        cudaEventRecord(e);
        fill<<<4, 256>>>(x, 3, N);
        cudaEventRecord(f);
        cudaEventSynchronize(f);
        cudaEventElapsedTime(&ms, e, f);  // <- 16:no-time
        cudaEventElapsedTime(&ms, e, f);
        printf("%g ms\n", ms);
        cudaEventDestroy(f);
    }
    if (which == 17 || which == 120) locked<<<4, 32>>>(which == 120);
    if (which == 18) {
        float* z;
        cudaMalloc(&z, sizeof *z);
        find<<<1, 32>>>(x, N, -5, z);
        cudaMemcpy(h.data(), z, sizeof *z, cudaMemcpyDeviceToHost);  // <- 18:unwritten-copy
        cudaFree(z);
    }
    if (which == 101) {
        fill<<<4, 256, 0, a>>>(x, 3, N);
        cudaEventRecord(e, a);
        cudaStreamWaitEvent(b, e, 0);
        twice<<<4, 256, 0, b>>>(x, y, N);
    }
    if (which == 102) {
        cudaMemcpyAsync(pinned, x, N * sizeof(float), cudaMemcpyDeviceToHost, a);
        cudaStreamSynchronize(a);
        printf("%g\n", pinned[5]);
    }
    if (which == 103) {  // from memory of the host that is not page-locked: the call copies it before it returns
        cudaMemcpyAsync(x, h.data(), N * sizeof(float), cudaMemcpyHostToDevice, a);
        h[0] = 2;
        twice<<<4, 256, 0, a>>>(x, y, N);
    }
    if (which == 104) {  // the default stream waits for such streams
        fill<<<4, 256, 0, a>>>(x, 3, N);
        twice<<<4, 256>>>(x, y, N);
    }
    if (which == 112) {
        cudaMemcpyToSymbol(weights, h.data(), 8 * sizeof(float));
        cudaMemcpyToSymbol(weights, h.data(), 8 * sizeof(float), 8 * sizeof(float));
        weigh<<<1, 16>>>(y);
    }
    if (which == 113) {
        void* args[] = {&x};
        cudaLaunchCooperativeKernel((void*)all_meet, dim3(4), dim3(32), args, 0, 0);
    }
    if (which == 114) carved<<<1, 32, 32 * 4 + 8>>>(y, 32);
    if (which == 115) scan<<<1, 256>>>(x, 256);
    if (which == 116) stencil<<<8, 128>>>(x, y, N);
    if (which == 117) bitonic<<<1, 256>>>(x, 256);
    if (which == 118) last_warp<<<1, 32>>>(x, y);
    if (which == 119) unpack<<<1, 32>>>((Packed*)x, y);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
    cudaStreamDestroy(a);
    if (which != 11) cudaStreamDestroy(b);
    cudaEventDestroy(e);
    cudaFree(x);
    cudaFree(y);
    cudaFree(numbers);
}

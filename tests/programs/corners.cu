// Mistakes in the corners of CUDA, one for each number on the command line; from 100 on, right programs that look like them.
// `N:code` marks what is said of number N, at its line.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <curand_kernel.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>
#include <vector>

constexpr int N = 256;

// Variables of the device: what lies behind one of them is another one.
struct Point {
    float x, y, z;
};
__device__ float steps[16];
__device__ float totals[16];
__device__ float begun[8] = {1};
__device__ Point points[4];
__device__ float rest[18];

__global__ void step_too_far(int n) {
    if (threadIdx.x < n) steps[threadIdx.x] = threadIdx.x;  // <- 1:out-of-bounds-write
    if (threadIdx.x < 16) totals[threadIdx.x] = 0;
}
__global__ void step_back(int n) {
    begun[(int)threadIdx.x - n] = 2;  // <- 2:out-of-bounds-write
}
__global__ void place(int n) {
    points[threadIdx.x + n].y = 3;  // <- 3:out-of-bounds-write
}
__global__ void by_fours(float4* y, int n) {
    y[threadIdx.x] = *reinterpret_cast<float4*>(&rest[4 * threadIdx.x + n]);  // <- 4:out-of-bounds-read 5:misaligned-access
}

// A thread's own array, whose address another thread has.
__global__ void lend(float* y) {
    __shared__ float* lent;
    float mine[8];
    for (int k = 0; k < 8; k++) mine[k] = threadIdx.x + k;
    if (threadIdx.x == 0) lent = mine;
    __syncthreads();
    y[threadIdx.x] = lent[threadIdx.x % 8];  // <- 6:foreign-local
    __syncthreads();
}
__global__ void lend_all(float** lent, float* y, int n) {
    float mine[8];
    for (int k = 0; k < 8; k++) mine[k] = threadIdx.x + k;
    lent[threadIdx.x] = mine;
    __syncthreads();
    lent[(threadIdx.x + n) % blockDim.x][2] += 1;  // <- 7:foreign-local
    y[threadIdx.x] = mine[2];
}
// Constants that the host fills in part, or not at all.
__constant__ float mask[16];
__constant__ float weights[16];
__constant__ int factors[4], biases[4];
__constant__ float ready[4] = {0, 0, 0, 0};
__global__ void apply(float* y) {
    y[threadIdx.x] = mask[threadIdx.x];  // <- 8:unset-constant 9:unset-constant
}
__global__ void weigh(float* y) {
    y[threadIdx.x] = weights[threadIdx.x] + ready[threadIdx.x % 4];  // <- 10:unset-constant
}
__global__ void scale(float* y) {
    y[threadIdx.x] = factors[threadIdx.x % 4] - biases[threadIdx.x % 4];
}
__global__ void largest(const float* x, float* best) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax((int*)best, __float_as_int(x[i]));  // <- 11:negative-bits
}
__global__ void largest_of_any(const float* x, float* best) {
    const float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    if (v >= 0) atomicMax((int*)best, __float_as_int(v));
    else atomicMin((unsigned*)best, __float_as_uint(v));
}
__global__ void neighbours(cudaTextureObject_t t, float* y, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = tex1Dfetch<float>(t, i) + tex1Dfetch<float>(t, i + step);  // <- 12:texture-outside
}
__global__ void twice(float* x) {
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;  // <- 13:use-after-free
}
__global__ void twice_in_rows(float* x, size_t pitch) {
    ((float*)((char*)x + threadIdx.y * pitch))[threadIdx.x] *= 2;
}
template <class T>
__global__ void up(T* x) {
    cooperative_groups::this_grid().sync();
    x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
__global__ void down(float* x) {
    cooperative_groups::this_grid().sync();
    x[blockIdx.x * blockDim.x + threadIdx.x] -= 1;
}

// A flag that is volatile is no lock: what it announces needs a fence.
__device__ volatile int ready_flag;
__device__ int announced;
__global__ void announce(int* y, bool fenced) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        announced = 42;  // <- 16:race-global
        if (fenced) __threadfence();
        ready_flag = 1;
    } else {
        while (!ready_flag) {
        }
        if (fenced) __threadfence();
        *y = announced;
    }
}
__global__ void draw(curandState* s, float* y) {
    y[threadIdx.x] = curand_uniform(&s[threadIdx.x]);  // <- 18:uninitialised-read
}
__global__ void seed(curandState* s) { curand_init(1, threadIdx.x, 0, &s[threadIdx.x]); }
__global__ void by_size(float* z, int n) {
    int i = threadIdx.x;
    if (i < n) z[i] = 1;  // <- 17:out-of-bounds-write
}

struct Six {
    float a[6];
};
__global__ void put(Six* s) {
    Six six;
    for (int k = 0; k < 6; k++) six.a[k] = k;
    s[threadIdx.x] = six;
}
__global__ void clear(Six* s) { s[threadIdx.x] = Six(); }
__global__ void sixth(const Six* s, float* y) { y[threadIdx.x] = s[threadIdx.x].a[5]; }

void graph(float* x, bool early) {
    float* z;
    cudaMalloc(&z, N * sizeof(float));
    cudaMemset(z, 0, N * sizeof(float));
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    twice<<<2, 128, 0, s>>>(z);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
    if (early) cudaFree(z);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    if (!early) cudaFree(z);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}

void timed(float* x, unsigned flags) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, flags);
    cudaEvent_t from, to;
    float ms;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaDeviceSynchronize();
    cudaEventRecord(from);
    twice<<<2, 128, 0, s>>>(x);
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);  // <- 15:time-of-nothing 115:no-time
    cudaStreamDestroy(s);
}

int main(int argc, char** argv) {
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    std::vector<float> h(N, 1);
    float *x, *y;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&y, N * sizeof(float));
    cudaMemcpy(x, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    if (which == 1 || which == 101) step_too_far<<<1, 32>>>(which == 1 ? 20 : 16);
    if (which == 2 || which == 102) step_back<<<1, 8>>>(which == 2);
    if (which == 3 || which == 103) place<<<1, 4>>>(which == 3);
    if (which == 4 || which == 104) by_fours<<<1, which == 4 ? 5 : 4>>>((float4*)y, 0);
    if (which == 5) by_fours<<<1, 4>>>((float4*)y, 1);
    if (which == 6) lend<<<1, 32>>>(y);
    if (which == 7 || which == 107) {
        float** lent;
        cudaMalloc(&lent, 32 * sizeof *lent);
        lend_all<<<1, 32>>>(lent, y, which == 7);
        cudaFree(lent);
    }
    if (which == 8 || which == 108) {
        cudaMemcpyToSymbol(mask, h.data(), 8 * sizeof(float));
        cudaMemcpyToSymbol(mask, h.data() + 8, 8 * sizeof(float), which == 8 ? 8 : 32);
        apply<<<1, 16>>>(y);
    }
    if (which == 9) {
        cudaMemcpyToSymbol(mask, h.data(), 16);
        apply<<<1, 16>>>(y);
    }
    if (which == 10 || which == 110) {
        void* there;
        cudaGetSymbolAddress(&there, weights);
        if (which == 110) cudaMemset(there, 0, sizeof weights);
        weigh<<<1, 16>>>(y);
    }
    if (which == 109) {
        cudaMemcpyToSymbol(factors, h.data(), sizeof factors);
        cudaMemcpyToSymbol(biases, h.data(), sizeof biases);
        scale<<<1, 16>>>(y);
    }
    if (which == 11 || which == 111) {
        for (int i = 0; i < N; i++) h[i] = -1.0f - i;
        cudaMemcpy(x, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
        const float least = -1e30f;
        cudaMemcpy(y, &least, sizeof least, cudaMemcpyHostToDevice);
        if (which == 11) largest<<<2, 128>>>(x, y);
        else largest_of_any<<<2, 128>>>(x, y);
    }
    if (which == 12 || which == 112) {
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = x;
        r.res.linear.desc = cudaCreateChannelDesc<float>();
        r.res.linear.sizeInBytes = N * sizeof(float);
        cudaTextureDesc d = {};
        d.readMode = cudaReadModeElementType;
        cudaTextureObject_t t;
        cudaCreateTextureObject(&t, &r, &d, 0);
        neighbours<<<2, 128>>>(t, y, which == 12);
        cudaDestroyTextureObject(t);
    }
    if (which == 13 || which == 113) graph(x, which == 13);
    if (which == 14 || which == 114) {
        float* rows;
        size_t pitch, width = 16 * sizeof(float);
        cudaMallocPitch(&rows, &pitch, width, 8);
        if (which == 14) cudaMemcpy2D(rows, width, h.data(), pitch, width, 8, cudaMemcpyHostToDevice);  // <- 14:exchanged-pitches
        else cudaMemcpy2D(rows, pitch, h.data(), width, width, 8, cudaMemcpyHostToDevice);
        twice_in_rows<<<1, dim3(16, 8)>>>(rows, pitch);
        cudaFree(rows);
    }
    if (which == 15 || which == 115) timed(x, which == 15 ? cudaStreamNonBlocking : cudaStreamDefault);
    if (which == 16 || which == 106) announce<<<2, 32>>>((int*)y, which == 106);
    if (which == 17) {
        float *z, *of_host = h.data();
        cudaMalloc(&z, sizeof(of_host));
        by_size<<<1, 64>>>(z, 64);
        cudaFree(z);
    }
    if (which == 18 || which == 118) {
        curandState* s;
        cudaMalloc(&s, 64 * sizeof *s);
        if (which == 118) seed<<<1, 64>>>(s);
        draw<<<1, 64>>>(s, y);
        cudaFree(s);
    }
    if (which == 119) {  // structs that are copied and filled as a whole
        Six* s;
        cudaMalloc(&s, 64 * sizeof *s);
        put<<<1, 32>>>(s);
        clear<<<1, 32>>>(s + 32);
        sixth<<<1, 64>>>(s, y);
        cudaFree(s);
    }
    if (which == 19) {  // what the wrong direction has not filled is not told besides
        float* z;
        cudaMalloc(&z, N * sizeof(float));
        cudaMemcpy(h.data(), z, N * sizeof(float), cudaMemcpyHostToDevice);  // <- 19:wrong-copy-side
        twice<<<2, 128>>>(z);
        cudaFree(z);
    }
    if (which == 116) {  // a kernel that is chosen loses its type
        void* arguments[] = {&x};
        cudaLaunchCooperativeKernel(argc > 1 ? (void*)up<float> : (void*)down, dim3(2), dim3(128), arguments, 0, 0);
        const void* chosen = argc > 1 ? reinterpret_cast<const void*>(&down) : (const void*)up<float>;
        cudaLaunchCooperativeKernel(chosen, dim3(2), dim3(128), arguments);
        cudaMemcpy(h.data(), x, N * sizeof(float), cudaMemcpyDeviceToHost);
        printf("%g\n", h[9]);
    }
    if (which == 117) {  // marks for a profiler
        nvtx3::scoped_range all{"all"};
        nvtxRangePushA("one");
        nvtxNameCudaStreamA(nullptr, "the default one");
        nvtx3::mark("here");
        NVTX3_FUNC_RANGE();
        nvtxRangePop();
    }
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
}

// What a launch makes of its arguments: once, on the host, by the constructors and conversions that nvcc calls there; each thread
// has the bytes. Every line of the output is what the threads saw, and how often the host's code ran.
#include <cuda/std/array>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <tuple>
#include <utility>

static int copies, made, destroyed, conversions;
struct Counted {
    int x;
    Counted(int x) : x(x) { made++; }
    Counted(const Counted& other) : x(other.x) { copies++; }
    ~Counted() { destroyed++; }
};
struct Buffer {
    float* p;
    operator float*() const {
        conversions++;
        return p;
    }
};
template <class T>
struct View {
    T* p;
    int n;
    __device__ T& operator[](int i) const { return p[i]; }
};
struct Scale {
    float by;
    __host__ __device__ float operator()(float v) const { return v * by; }
};
struct Assigned {  // copied trivially, but not assigned
    int v;
    Assigned() = default;
    Assigned(const Assigned&) = default;
    Assigned& operator=(const Assigned& other) {
        v = other.v + 100;
        return *this;
    }
};
struct MoveOnly {
    int v;
    MoveOnly(int v) : v(v) {}
    MoveOnly(MoveOnly&&) = default;
};
struct Neither {
    int v;
    Neither(int v) : v(v) {}
    Neither(const Neither&) = delete;
};
struct HostAdd {
    Counted c;
    int operator()(int i) const { return i + c.x; }
};

namespace ns {
template <class T>
__global__ void fill(T* __restrict__ out, const int n, T value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}
template <int N, class T, class... Rest>
__global__ void sum(T* const __restrict__ out, Rest... rest) {
    out[threadIdx.x] = N + (T(0) + ... + T(rest));
}
}  // namespace ns
using ns::fill;

template <class F>
__global__ void apply(int* out, F f) {
    out[threadIdx.x] = (int)f((float)threadIdx.x);
}
__global__ void counted(int* out, Counted c) {
    c.x += threadIdx.x;  // its own
    out[threadIdx.x] = c.x;
}
template <class T>
__global__ void counted_too(int* out, T c, int = 0) {
    c.x += threadIdx.x;
    out[threadIdx.x] = c.x;
}
__global__ void plain(float* out, float v, unsigned) { out[threadIdx.x] = v; }
__global__ void with_default(int* out, int v = 7, View<int> = {nullptr, 3}, const bool less = 1 < 2) {
    out[threadIdx.x] = less ? v : 0;
}
extern "C" {
__global__ void c_default(int* out, int v = 8) { out[threadIdx.x] = v; }
}
__global__ void over(int* out, int v) { out[threadIdx.x] = v; }
__global__ void over(float* out, float v) { out[threadIdx.x] = v + 0.5f; }
__global__ void sorts(int* out, Assigned a, MoveOnly m, Neither n, float4 v, __half h, dim3 d) {
    a.v += threadIdx.x;
    out[threadIdx.x] = a.v + m.v + n.v + (int)v.w + (int)__half2float(h) + d.y;
}
template <class T>
__global__ void views(View<T> v, cuda::std::array<T, 3> a, T (*)[3] = nullptr) {
    v[threadIdx.x] = a[2];
}
__global__ void objects(int* out, std::function<int(int)>, std::tuple<int, float, Counted>) { out[threadIdx.x] = 1; }
template <class T>
__global__ void pair(std::pair<T, int> p, int* out) {
    out[threadIdx.x] = p.first + p.second;
}
__global__ void set(int* out, float* p) { out[threadIdx.x] = p == nullptr; }

static int* d;
static void show(const char* name) {
    int h[4];
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s: %d %d %d %d, made %d, copied %d, destroyed %d, converted %d\n", name, h[0], h[1], h[2], h[3], made, copies,
           destroyed, conversions);
    made = copies = destroyed = conversions = 0;
}
static void show(const char* name, const float* f) {
    float h[4];
    cudaMemcpy(h, f, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s: %g %g %g %g, converted %d\n", name, h[0], h[1], h[2], h[3], conversions);
    conversions = 0;
}

int main() {
    float* f;
    cudaMalloc(&d, 16);
    cudaMalloc(&f, 16);
    Counted c(5);
    made = 0;
    counted<<<1, 4>>>(d, c);
    show("a variable");
    counted<<<1, 4>>>(d, Counted(6));
    show("a value");
    counted<<<1, 4>>>(d, 7);
    show("a number");
    counted_too<<<1, 4>>>(d, c);
    show("of a template");
    counted_too<Counted><<<1, 4>>>(d, 9);
    show("a number for a template");
    void (*pointer)(int*, Counted) = counted;
    pointer<<<1, 4>>>(d, c);
    show("by a pointer");
    void* arguments[] = {&d, &c};
    cudaLaunchKernel((void*)counted, dim3(1), dim3(4), arguments, 0, nullptr);
    show("cudaLaunchKernel");
    cudaLaunchCooperativeKernel((void*)counted, dim3(1), dim3(4), arguments, 0, nullptr);
    show("cooperative");
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 4;
    cudaLaunchKernelEx(&config, counted, d, c);
    show("cudaLaunchKernelEx");

    Buffer b{f};
    plain<<<1, 4>>>(b, 2, 3);
    show("an operator", f);
    over<<<1, 4>>>(b, 3);
    show("an operator for an overload", f);
    over<<<1, 4>>>(d, 3);
    show("the other overload");
    fill<<<1, 4>>>(d, 4, 9);
    show("deduced");
    ns::fill<int><<<1, 4>>>(d, 4, 8.5);
    show("named");
    ns::sum<4><<<1, 4>>>(d, 1, 2.0, 3u);
    show("a pack");
    with_default<<<1, 4>>>(d);
    show("defaults");
    with_default<<<1, 4>>>(d, 3, {nullptr, 2});
    show("braces");
    c_default<<<1, 4>>>(d);
    show("a default in C");
    Assigned a;
    a.v = 1;
    sorts<<<1, 4>>>(d, a, MoveOnly(2), 3, make_float4(0, 0, 0, 4), __float2half(5.f), {1, 6});
    show("sorts");
    apply<<<1, 4>>>(d, Scale{2});
    show("a functor");
    float k = 3;
    apply<<<1, 4>>>(d, [=] __device__(float v) { return v + k; });
    show("a lambda");
    views<<<1, 4>>>(View<int>{d, 4}, cuda::std::array<int, 3>{1, 2, 3});
    show("a view");
    pair<<<1, 4>>>(std::pair<int, int>(3, 4), d);
    show("a pair");
    set<<<1, 4>>>(d, NULL);
    show("NULL");
    std::function<int(int)> add = HostAdd{c};
    std::tuple<int, float, Counted> tuple(1, 2.f, c);
    made = copies = destroyed = 0;
    objects<<<1, 4>>>(d, add, tuple);
    show("objects of the host");

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    counted<<<1, 4, 0, stream>>>(d, c);
    counted_too<<<1, 4, 0, stream>>>(d, c);
    cudaStreamEndCapture(stream, &graph);
    cudaKernelNodeParams node = {};
    node.func = (void*)counted;
    node.gridDim = 1;
    node.blockDim = 4;
    node.kernelParams = arguments;
    cudaGraphNode_t added;
    cudaGraphAddKernelNode(&added, graph, nullptr, 0, &node);
    cudaGraphInstantiate(&ready, graph, 0);
    show("captured");
    c.x = 50;  // too late for the graph
    cudaGraphLaunch(ready, stream);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    show("a graph");
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d);
    cudaFree(f);
}

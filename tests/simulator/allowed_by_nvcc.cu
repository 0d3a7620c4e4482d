// Neighbours of what nvcc refuses, which nvcc compiles: nothing here may be refused (test_sides.py).
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <algorithm>
#include <array>
#include <assert.h>
#include <cmath>
#include <cuda/std/bit>
#include <cuda/std/concepts>
#include <cuda/std/numbers>
#include <cuda_fp16.h>
#include <limits>
#include <string.h>
#include <string>
#include <vector>

namespace n0 {
constexpr float square(float v) { return v * v; }
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    x[i] = square(x[i]);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n1 {
__host__ __device__ float square(float v) { return v * v; }
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    x[i] = square(x[i]);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    square(2);
    return cudaGetLastError();
}
}

namespace n2 {
#define DEVICE __device__ __forceinline__
DEVICE float square(float v) { return v * v; }
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    x[i] = square(1);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n3 {
float __device__ square(float v) { return v * v; }
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    x[i] = square(x[i]);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n4 {
__device__ float square(float v);
__device__ float square(float v) { return v * v; }
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    x[i] = square(x[i]);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n5 {
struct P { float m = 1; __host__ __device__ P() {} };
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    P p;
    x[i] = p.m;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    P p;
    if (p.m > 2) return cudaErrorUnknown;
    return cudaGetLastError();
}
}

namespace n6 {
struct P { float m = 1; };
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    P p;
    x[i] = p.m;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n7 {
struct P { float m; float twice() const { return 2 * m; } };
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    P p{1};
    x[i] = p.m;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    P p{1};
    p.twice();
    return cudaGetLastError();
}
}

namespace n8 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    auto f = [&](float v) { return v * 2; };
    x[i] = f(x[i]);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n9 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    x[i] = std::max(x[i], 1.f) + std::numeric_limits<float>::infinity() + std::exp(x[i]);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n10 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    std::array<float, 2> v{};
    v[1] = x[i];
    x[i] = v[1];
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n11 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    printf("%d", i);
    memcpy(x, x + 1, 4);
    assert(i >= 0);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n12 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    float* p = new float[3];
    p[0] = 1;
    delete[] p;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n13 {
constexpr float c = 3;
const int size = 4;
enum { N = 2 };
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    float a[size] = {c};
    x[i] = a[0] + N;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n14 {
__device__ float total;
__constant__ float c[3];
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    total = c[0];
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    float v = 1;
    cudaMemcpyToSymbol(total, &v, 4);
    cudaMemcpyFromSymbol(&v, total, sizeof(total));
    cudaMemcpyToSymbol(c, &v, sizeof(v));
    void* p;
    cudaGetSymbolAddress(&p, total);
    return cudaGetLastError();
}
}

namespace n15 {
__device__ float total;
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    total = 1;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    float total = 2;
    if (total > 3) return cudaErrorUnknown;
    return cudaGetLastError();
}
}

namespace n16 {
__managed__ float total;
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    total = 1;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    total = 2;
    return cudaGetLastError();
}
}

namespace n17 {
__device__ const float c = 3;
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    x[i] = c;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    if (c > 4) return cudaErrorUnknown;
    return cudaGetLastError();
}
}

namespace n18 {
static void __global__ other(float* x) { x[0] = 1; }
void __global__ third(float* x) { x[0] = 1; }
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    other<<<1, 1>>>(x);
    third<<<1, 1>>>(x);
    return cudaGetLastError();
}
}

namespace n19 {
namespace {
__global__ void other(float* x) { x[0] = 1; }
}
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    other<<<1, 1>>>(x);
    void (*f)(float*, int) = k;
    f<<<1, 32>>>(x, 1);
    return cudaGetLastError();
}
}

namespace n20 {
struct F { __device__ float operator()(float v) const { return v; } };
template <class G>
__global__ void other(G g, float* x) { x[0] = g(1); }
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    other<<<1, 1>>>(F{}, x);
    return cudaGetLastError();
}
}

namespace n21 {
#ifdef NEVER
float square(float v);
#endif
__host__ __device__ float power(float v) {
#ifdef __CUDA_ARCH__
    return __expf(v);
#else
    return expf(v);
#endif
}
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    x[i] = power(x[i]);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    power(2);
    return cudaGetLastError();
}
}

namespace n22 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    static int calls = 0;
    static __shared__ float t[32];
    t[i] = calls;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n23 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    __half h = __float2half(x[i]);
    h = __shfl_sync(~0u, h, 0);
    x[i] = h;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    __half h = __float2half(1.f);
    (void)h;
    return cudaGetLastError();
}
}

namespace n24 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    __builtin_assume(i < 32);
    x[i] = 1;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n25 {
template <class T>
T square(T v) { return v * v; }
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    square(2);
    int rows = 3;
    auto f = [&](int v) { return v * rows; };
    f(2);
    return cudaGetLastError();
}
}

namespace n26 {
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    cudaStreamAttrValue a = {};
    a.accessPolicyWindow.base_ptr = x;
    a.accessPolicyWindow.num_bytes = 1024;
    a.accessPolicyWindow.hitRatio = 0.5f;
    a.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    a.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &a);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20);
    cudaCtxResetPersistingL2Cache();
    return cudaGetLastError();
}
}

namespace n27 {
template <class T>
struct Shared {
    __device__ T* get() {
        extern __device__ void no_array_of_this_type(void);  // a function, which nobody defines: a use does not link
        no_array_of_this_type();
        return nullptr;
    }
};
template <>
struct Shared<float> {
    __device__ float* get() {
        extern __shared__ float s_float[];
        return s_float;
    }
};
__global__ void k(float* x, int n) {
    Shared<float> shared;
    shared.get()[threadIdx.x] = x[threadIdx.x];
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 128, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n28 {
struct Group {
    int n;
    __device__ int size() const { return n; }
};
__global__ void k(float* x, int n) {
    Group g{n};
    x[threadIdx.x] = g.size();
}
cudaError_t run(float* x, cudaStream_t stream) {
    std::array<float, 32> host{};
    k<<<1, 32, 0, stream>>>(x, host.size());
    return cudaGetLastError();
}
}

namespace n29 {
static int half(int v) { return v / 2; }
const int two = half(4);
const float root = sqrtf(2.0f);
constexpr int three(int v) { return v + 1; }
const int known = three(2);
__device__ __align__(16) float scratch[4];
__device__ constexpr float or_root(float v) { return v > 0 ? v : sqrtf(-v); }
template <class... T>
__global__ void none(T... values) {}
__global__ void k(float* x, int n) {
    const float mine = sqrtf(2.0f);
    float v[known];
    v[0] = or_root(mine);
    scratch[threadIdx.x & 3] = x[n - 1] = v[0];
}
cudaError_t run(float* x, cudaStream_t stream) {
    float own[two];
    own[0] = root;
    k<<<1, 32, 0, stream>>>(x, (int)own[0]);
    none<<<1, 32, 0, stream>>>(x, two);
    return cudaGetLastError();
}
}

namespace n30 {
static constexpr int shape[3] = {5, 6, 7};
const int of_host[2] = {1, 2};
template <int N>
struct Tile {
    static constexpr int sizes[2] = {N, 8};
};
template <int I>
__device__ int at() {
    return I;
}
__global__ void k(float* x, int n) {
    constexpr int middle = shape[1];
    __shared__ float tile[shape[0]];
    static_assert(shape[2] == 7, "");
    tile[threadIdx.x % 5] = at<shape[0]>() + Tile<4>::sizes[1];
    for (int i = 0; i < (int)(sizeof(of_host) / sizeof(of_host[0])); i++) x[i] = middle + tile[0];
    switch (n) {
        case shape[0]: x[1] = 2;
    }
    if constexpr (shape[0] > 4) x[0] = 1;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, of_host[0], 0, stream>>>(x, 1);
    return cudaGetLastError();
}
}

namespace n31 {
static const int size = 8;
constexpr float one = 1;
__device__ int value(int a) { return a; }
__device__ int twice(const int& a) { return 2 * a; }
__device__ int both(int& a, int b) { return a += b; }
__global__ void k(float* x, int n) {
    int i = threadIdx.x, copy = size;
    const float& mine = x[i & size];
    int mask = n & size, twofold = (n) & size;
    bool all = n > 2 && size;
    x[i] = value(size) + twice(copy) + both(copy, size) + mine + mask + twofold + all + one + twice(n + size);
}
__global__ void shadowed(float* x, int size) {
    const int& n = size;
    x[0] = twice(n) + twice(size);
}
cudaError_t run(float* x, cudaStream_t stream) {
    const int* p = &size;
    k<<<1, 32, 0, stream>>>(x, *p);
    shadowed<<<1, 32, 0, stream>>>(x, 1);
    return cudaGetLastError();
}
}

namespace n32 {
struct Pair { float low, high; };
constexpr Pair pairs[2] = {{0, 1}, {2, 3}};
constexpr int kLast = 1;
constexpr int sizes[2] = {32, 5};
constexpr int bytes = sizes[1] * 4;
const int half{sizes[0] / 2};
__global__ void k(float* x, int n) {
    x[threadIdx.x] = pairs[0].high + pairs[kLast].low + bytes + half;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, sizes[0], 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n33 {
struct View {   // an attribute stands before the qualifiers, and no lambda does
    float* data;
    int count;
    [[nodiscard]] __host__ __device__ constexpr int size() const { return count; }
    [[nodiscard]] __device__ float& operator[](int i) const { return data[i]; }
};
[[maybe_unused]] __device__ float twice(float v) { return 2 * v; }
__global__ void k(View v) {
    if ((int)threadIdx.x < v.size()) v[threadIdx.x] = twice(v[threadIdx.x]);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>({x, 32});
    return cudaGetLastError();
}
}

namespace n34 {   // a class's array with an index that names no variable; pointers to functions; alignments
#define THREE 3
enum Level { LOW, HIGH };
enum class Kind { One = 1 };
constexpr int two() { return 2; }
struct Tables {
    static constexpr int v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    __device__ static int own() { return v[HIGH]; }
};
template <int level>
__device__ int at() {
    return Tables::v[level - 1];
}
__device__ float once(float v) { return v; }
__device__ float twice(float v) { return 2 * v; }
__device__ float (*const chosen[])(float) = {once, twice};
__constant__ float (*copied[2])(float);
__device__ float (*pick(int i))(float) { return i ? once : twice; }
__device__ float call(float (*f)(float), float v) { return f(v); }
float (*on_host[])(float) = {once, twice};
alignas(16) const float one = 1;
float* const nothing = nullptr;
constexpr const char* words = "%d";
alignas(16) __constant__ float aligned[4] = {1, 2, 3, 4};
alignas(16) __device__ float4 store[4];
__global__ void k(float* x, int n) {
    int i = threadIdx.x;
    float (*local[2])(float) = {once, twice};
    x[i] = Tables::v[2 * THREE + 1];   // each in a statement of its own, as nvcc wants them
    x[i] += Tables::v[(int)Kind::One];
    x[i] += Tables::v[sizeof(float)];
    x[i] += Tables::v[two()] + at<2>();
    x[i] += chosen[i & 1](x[i]) + copied[1](x[i]) + local[0](x[i]) + pick(n)(1) + call(i ? once : twice, 1);
    if (x == nothing) printf(words, i);
    x[i] += one + aligned[i & 3] + store[1].x + Tables::own();
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    if (on_host[0] == nullptr) return cudaErrorUnknown;
    return cudaGetLastError();
}
}

namespace n35 {   // an address that is followed at once; std::max of constants; what a kernel may declare
struct Pair { int low; struct { int x; } high; };
constexpr Pair pair = {1, {2}};
constexpr int kLeast = 3, kMost = 5;
__global__ void k(float* x, int n) {
    struct Local {
        float v;
        __device__ Local(float a) : v(a) {}
        __device__ float twice() const { return 2 * v; }
        __host__ __device__ operator float() const { return v; }
    };
    static __device__ int calls;
    static __constant__ float table[2] = {1, 2};
    __device__ float later(float);
    calls = *(&pair.low) + *&pair.low + (&pair)->low + *(&pair.high.x) + *(&kLeast);
    x[threadIdx.x] = Local(1).twice() + table[n & 1] + std::max(kLeast + 0, n) + std::max(kLeast, 4);
    constexpr int most = std::max(kLeast, kMost);
    x[0] += most;
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

namespace n36 {   // default arguments of a kernel are the host's to compute; one type of a template's shared array
int start() { return 2; }
int of_host = 3;
struct Listed { std::vector<float> values; std::string name; };
struct Plain { float values[4]; float* name; };
template <class T>
__device__ T* scratch() {
    extern __shared__ T smem36[];
    return smem36;
}
template <class T>
__global__ void other(T* x, int n = start(), int m = of_host) {
    extern __shared__ T smem36[];
    smem36[0] = scratch<T>()[n - m + 1];
}
struct Counter {
    __device__ static int next() { return 1; }
    static constexpr int first = 3;
};
__device__ float of_both(const Plain& values) { return values.values[0] + values.name[0]; }
__global__ void k(float* x, int n) {
    const int lanes = warpSize;
    x[threadIdx.x % warpSize] = Counter::next() + Counter::first + n / warpSize + lanes + max(n, warpSize);
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    other<<<1, 32, 128, stream>>>(x);
    Listed listed;
    if (listed.values.size() > 3 || listed.name[0]) return cudaErrorUnknown;
    return cudaGetLastError();
}
}

namespace n37 {   // attributes and __shared__ where they say nothing; vectors; constants of classes; libcu++ in C++17
struct Shape {
    float v;
    __device__ explicit Shape(float a) : v(a) {}
    __device__ virtual float area() const { return v; }
    __device__ virtual ~Shape() {}
};
struct Pair {
    int a;
    __host__ __device__ constexpr int get() const { return a; }
    __host__ __device__ constexpr int plus(int b) const { return a + b; }
};
constexpr Pair pair{1};
constexpr std::array<int, 3> sizes{1, 2, 3};
constexpr const char* letters = "abc";
constexpr float2 ends = {1, 2};
__device__ float first(__shared__ float* s, const __shared__ float t[2]) { return s[0] + t[1]; }
__device__ float2 turned(float2 v) { return {v.y, v.x}; }
__global__ void __launch_bounds__(sizes[2] * 32, 2) k(float* x, int n) {
    int i = threadIdx.x;
    [[maybe_unused]] __shared__ float a[2];
    __shared__ [[maybe_unused]] float b[2];
    alignas(16) extern __shared__ unsigned char bytes[];
    __shared__ alignas(16) float d[2];
    a[0] = b[1] = d[0] = bytes[0] = 1;
    float2 v = turned({1, 2}), w{x[0], 1}, z = float2(), copy = float2(v);
    float4 q = {1}, r = make_float4(1, 2, 3, 4), s[2] = {{1, 2, 3, 4}, {}};
    float2 later(float2 v, int n);
    q = {};
    z = {1, 2};
    Shape* shape = new Shape(q.x + r.y + s[0].z);
    x[i] = pair.get() + pair.plus(2) + sizes[1] + sizes.size() + letters[n & 1] + ends.x + shape->area() + first(a, b);
    delete shape;
    x[i] += __builtin_popcount(i) + __builtin_clz(n) + v.x + w.y + z.x + copy.y;
    if (__builtin_expect(n > 3, 1)) x[i] += cuda::std::popcount(3u) + cuda::std::numbers::pi_v<float>;
    static_assert(cuda::std::integral<int> && cuda::std::same_as<float, float>, "");
}
cudaError_t run(float* x, cudaStream_t stream) {
    float2 v = {1, 2}, w = make_float2(1, 2);
    k<<<1, 32, 128, stream>>>(x, (int)(v.x + w.y));
    return cudaGetLastError();
}
}

namespace n38 {   // __device__ besides another memory; what all threads read in place; what a macro decides by the side
struct P { float a[4]; };
__device__ __managed__ float shared_by_both = 3;
static __device__ __constant__ float table[2];
__device__ __shared__ float scratch[32];
__global__ void k(const __grid_constant__ P p, P const __grid_constant__ q, float* x) {
    __shared__ float a[32];
    static __shared__ const float* b;
    x[threadIdx.x] = p.a[1] + q.a[2] + shared_by_both + table[1] + (a == b) + (scratch == a);
}
template <class T>
__host__ __device__ T both(T v) {
#ifdef __CUDA_ARCH__
    __shared__ T kept[32];
    kept[threadIdx.x] = v;
    return kept[threadIdx.x];
#else
    return v;
#endif
}
cudaError_t run(float* x, cudaStream_t stream) {
    shared_by_both = both(1.0f);
    k<<<1, 32, 0, stream>>>(P{}, P{}, x);
    return cudaGetLastError();
}
}

namespace n39 {   // warpSize is no constant, and may stand in a constexpr function
__device__ constexpr int warps(int n) { return n / warpSize; }
__host__ __device__ constexpr int lanes(int n) { return n > 3 ? n % warpSize : 1; }
__global__ void k(float* x, int n) {
    float t[lanes(2)] = {1};
    x[threadIdx.x] = warps(n) + lanes(n) + t[0];
}
cudaError_t run(float* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, 32);
    return cudaGetLastError();
}
}

// What a function declares itself hides a kernel of the same name.
__global__ void product(float* x) { x[0] = 1; }
template <class F> __device__ float at(const F& product, int i) { return product(i); }
__device__ float twice(float v) {
    auto product = [](float w) { return 2 * w; };
    return product(v);
}
__global__ void hides(float* x, int n) {
    x[0] = at([=](int i) { return twice(x[i]); }, n);
}

namespace n40 {   // alignas takes a type as well as a number
struct alignas(32) Wide { float v[4]; };
template <class T> __global__ void k(T* x) {
    __shared__ alignas(T) unsigned char room[32 * sizeof(T)];
    __shared__ alignas(Wide) alignas(64) float wide[32];
    wide[threadIdx.x] = 1;
    reinterpret_cast<T*>(room)[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = reinterpret_cast<T*>(room)[threadIdx.x];
}
cudaError_t run(double* x, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x);
    return cudaGetLastError();
}
}

namespace n41 {   // a lambda of the host's becomes a pointer, whose value a kernel may be given
using Op = float (*)(float);
__global__ void k(Op op, float* x) { x[0] = op != nullptr; }
cudaError_t run(float* x, cudaStream_t stream) {
    Op twice = [](float v) { return 2 * v; };
    k<<<1, 1, 0, stream>>>(twice, x);
    return cudaGetLastError();
}
}

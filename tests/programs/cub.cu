// CUB's device-wide algorithms, called twice each; `expect` counts what is wrong. With an argument: the mistake of that number.
#include <cub/cub.cuh>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int wrong = 0;
static void expect(bool holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++wrong;
}
template <class T>
static T* device(const std::vector<T>& values) {
    T* pointer;
    cudaMalloc(&pointer, values.size() * sizeof(T));
    cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return pointer;
}
template <class T>
static std::vector<T> host(const T* pointer, int n) {
    std::vector<T> values(n);
    cudaMemcpy(values.data(), pointer, n * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
}
// The call that asks and the call that works.
template <class Call>
static cudaError_t twice(Call call) {
    void* storage = nullptr;
    size_t bytes = 0;
    call(storage, bytes);
    cudaMalloc(&storage, bytes);
    const cudaError_t error = call(storage, bytes);
    cudaFree(storage);
    return error;
}
struct Odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};
__global__ void add_one(int* x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] += 1;
}

using Pair = cub::KeyValuePair<int, float>;
struct Larger {
    __device__ Pair operator()(const Pair& a, const Pair& b) const { return b.value > a.value ? b : Pair(a.key, a.value); }
};
__global__ void largest(const float* x, Pair* out) {
    using Reduce = cub::BlockReduce<Pair, 64>;
    __shared__ Reduce::TempStorage storage;
    Pair all = Reduce(storage).Reduce(Pair(threadIdx.x, x[threadIdx.x]), Larger());
    if (threadIdx.x == 0 && all != Pair()) *out = all;
}

struct Minus {
    __device__ int operator()(int a, int b) const { return a - b; }
};
struct Differ {
    __device__ bool operator()(int a, int b) const { return a != b; }
};
// Each of 32 threads has two neighbouring items of x, or two that lie 32 apart.
__global__ void neighbours(const int* x, int* left, int* right, int* heads, int* tails, int* striped, int* places) {
    using Difference = cub::BlockAdjacentDifference<int, 32>;
    using Discontinuity = cub::BlockDiscontinuity<int, 32>;
    using Exchange = cub::BlockExchange<int, 32, 2>;
    __shared__ union {
        Difference::TempStorage difference;
        Discontinuity::TempStorage discontinuity;
        Exchange::TempStorage exchange;
    } storage;
    const int t = threadIdx.x;
    int in[2] = {x[2 * t], x[2 * t + 1]}, a[2], b[2], ranks[2] = {63 - 2 * t, 62 - 2 * t};
    Difference(storage.difference).SubtractLeft(in, a, Minus());
    left[2 * t] = a[0], left[2 * t + 1] = a[1];
    __syncthreads();
    Difference(storage.difference).SubtractRightPartialTile(in, a, Minus(), 50);
    right[2 * t] = a[0], right[2 * t + 1] = a[1];
    __syncthreads();
    Discontinuity(storage.discontinuity).FlagHeadsAndTails(a, b, in, Differ());
    heads[2 * t] = a[0], heads[2 * t + 1] = a[1];
    tails[2 * t] = b[0], tails[2 * t + 1] = b[1];
    __syncthreads();
    Exchange(storage.exchange).BlockedToStriped(in, a);
    striped[t] = a[0], striped[t + 32] = a[1];
    __syncthreads();
    Exchange(storage.exchange).ScatterToBlocked(in, a, ranks);
    places[2 * t] = a[0], places[2 * t + 1] = a[1];
}
static void use_neighbours() {
    std::vector<int> x(64);
    for (int i = 0; i < 64; i++) x[i] = i / 3 * i;
    int *in = device(x), *out;
    cudaMalloc(&out, 6 * 64 * sizeof *out);
    neighbours<<<1, 32>>>(in, out, out + 64, out + 128, out + 192, out + 256, out + 320);
    const std::vector<int> y = host(out, 6 * 64);
    bool all[6] = {true, true, true, true, true, true};
    for (int i = 0; i < 64; i++) {
        all[0] &= y[i] == (i ? x[i] - x[i - 1] : x[i]);
        all[1] &= y[64 + i] == (i + 1 < 50 ? x[i] - x[i + 1] : x[i]);
        all[2] &= y[128 + i] == (i == 0 || x[i] != x[i - 1]);
        all[3] &= y[192 + i] == (i == 63 || x[i] != x[i + 1]);
        all[4] &= y[256 + i] == x[i];
        all[5] &= y[320 + i] == x[63 - i];
    }
    const char* what[] = {"SubtractLeft", "SubtractRightPartialTile", "heads", "tails", "BlockedToStriped", "ScatterToBlocked"};
    for (int k = 0; k < 6; k++) expect(all[k], what[k]);

    const std::vector<float> samples = {0.f, 0.5f, 1.f, 9.99f, 10.f, -1.f, 4.f};
    const std::vector<int> bounds = {0, 1, 5, 20}, runs = {4, 4, 4, 1, 2, 2};
    float* s = device(samples);
    int *r = device(runs), *levels = device(bounds), *count;
    cudaMalloc(&count, sizeof *count);
    twice([&](void* t, size_t& b) { return cub::DeviceHistogram::HistogramEven(t, b, s, out, 6, 0.f, 10.f, 7); });
    expect(host(out, 5) == std::vector<int>{3, 0, 1, 0, 1}, "HistogramEven");
    twice([&](void* t, size_t& b) { return cub::DeviceHistogram::HistogramRange(t, b, r, out, 4, levels, 6); });
    expect(host(out, 3) == std::vector<int>{0, 6, 0}, "HistogramRange");
    twice([&](void* t, size_t& b) { return cub::DeviceRunLengthEncode::Encode(t, b, r, out, out + 64, count, 6); });
    expect(host(count, 1)[0] == 3 && host(out, 3) == std::vector<int>{4, 1, 2} && host(out + 64, 3) == std::vector<int>{3, 1, 2}, "Encode");
    for (void* pointer : {(void*)in, (void*)out, (void*)s, (void*)r, (void*)levels, (void*)count}) cudaFree(pointer);
}

static void use() {
    use_neighbours();
    const std::vector<int> h = {5, -3, 8, 1, 1, 7, -3, 0};
    const int n = static_cast<int>(h.size());
    int *x = device(h), *y, *count;
    cudaMalloc(&y, n * sizeof *y), cudaMalloc(&count, sizeof *count);
    twice([&](void* s, size_t& b) { return cub::DeviceReduce::Sum(s, b, x, count, n); });
    expect(host(count, 1)[0] == 16, "Sum");
    twice([&](void* s, size_t& b) { return cub::DeviceReduce::Max(s, b, x, count, n); });
    expect(host(count, 1)[0] == 8, "Max");
    cub::KeyValuePair<int, int>* pair;
    cudaMalloc(&pair, sizeof *pair);
    twice([&](void* s, size_t& b) { return cub::DeviceReduce::ArgMin(s, b, x, pair, n); });
    expect(host(pair, 1)[0].key == 1 && host(pair, 1)[0].value == -3, "ArgMin");
    twice([&](void* s, size_t& b) { return cub::DeviceScan::ExclusiveSum(s, b, x, y, n); });
    expect(host(y, n) == std::vector<int>({0, 5, 2, 10, 11, 12, 19, 16}), "ExclusiveSum");
    add_one<<<1, 32>>>(y, n);
    expect(host(y, n)[7] == 17, "a kernel behind it");
    twice([&](void* s, size_t& b) { return cub::DeviceScan::InclusiveScan(s, b, x, y, cuda::maximum<>(), n); });
    expect(host(y, n) == std::vector<int>({5, 5, 8, 8, 8, 8, 8, 8}), "InclusiveScan");
    twice([&](void* s, size_t& b) { return cub::DeviceRadixSort::SortKeys(s, b, x, y, n); });
    expect(host(y, n) == std::vector<int>({-3, -3, 0, 1, 1, 5, 7, 8}), "SortKeys");
    const std::vector<float> keys = {0.5f, -2.0f, 3.0f, -0.25f};
    float *k = device(keys), *sorted;
    cudaMalloc(&sorted, 4 * sizeof *sorted);
    twice([&](void* s, size_t& b) { return cub::DeviceRadixSort::SortPairsDescending(s, b, k, sorted, x, y, 4); });
    expect(host(sorted, 4) == std::vector<float>({3.0f, 0.5f, -0.25f, -2.0f}) && host(y, 4) == std::vector<int>({8, 5, 1, -3}), "SortPairs");
    cub::DoubleBuffer<float> both(k, sorted);
    twice([&](void* s, size_t& b) { return cub::DeviceRadixSort::SortKeys(s, b, both, 4); });
    expect(host(both.Current(), 4)[0] == -2.0f, "DoubleBuffer");
    twice([&](void* s, size_t& b) { return cub::DeviceSelect::If(s, b, x, y, count, n, Odd()); });
    expect(host(count, 1)[0] == 6 && host(y, 3)[2] == 1, "If");
    std::vector<float> high(64, 1.0f);
    high[37] = 2.0f;
    float* f = device(high);
    Pair* found;
    cudaMalloc(&found, sizeof *found);
    largest<<<1, 64>>>(f, found);
    expect(host(found, 1)[0].key == 37 && host(found, 1)[0].value == 2.0f, "pairs of one's own");
    cudaFree(f), cudaFree(found);
    cudaFree(x), cudaFree(y), cudaFree(count), cudaFree(k), cudaFree(sorted), cudaFree(pair);
}

static void mistake(int number) {
    std::vector<int> h(64, 1);
    int *x = device(h), *out;
    size_t bytes = 0;
    void* storage = nullptr;
    cudaMalloc(&out, sizeof *out);
    cub::DeviceReduce::Sum(nullptr, bytes, x, out, 64);
    if (number != 3) cudaMalloc(&storage, bytes);
    if (number == 1) cub::DeviceReduce::Sum(storage, bytes, h.data(), out, 64);  // <- 1:library-pointer
    if (number == 2) cub::DeviceReduce::Sum(storage, bytes, x, out, 65);  // <- 2:library-extent
    if (number == 3) storage = malloc(bytes);
    if (number == 3) cub::DeviceReduce::Sum(storage, bytes, x, out, 64);  // <- 3:library-pointer
    if (number != 3) cudaFree(storage);
    cudaFree(x), cudaFree(out);
}

int main(int count, char** words) {
    if (count > 1) mistake(atoi(words[1]));
    else use();
    return wrong;
}

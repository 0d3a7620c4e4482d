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
    const Pair all = Reduce(storage).Reduce(Pair(threadIdx.x, x[threadIdx.x]), Larger());
    if (threadIdx.x == 0 && all != Pair()) *out = all;
}

static void use() {
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

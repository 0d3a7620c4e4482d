// Thrust as teaching code uses it; `expect` counts what is wrong. With an argument: the mistake of that number.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int wrong = 0;
static void expect(bool holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++wrong;
}

struct Square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};
struct Saxpy {
    float a;
    __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct Numbered {
    unsigned turn;
    __device__ float operator()() { return static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x + turn++ * gridDim.x * blockDim.x); }
};
__global__ void twice(float* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 2;  // <- 3:out-of-bounds-read
}

static void use() {
    const int n = 1000;
    thrust::device_vector<float> numbers(n);
    thrust::generate(numbers.begin(), numbers.end(), Numbered{0});
    thrust::sort(numbers.begin(), numbers.end());
    expect(thrust::unique(numbers.begin(), numbers.end()) == numbers.end(), "generate: each its own, by its thread and turn");
    thrust::host_vector<float> host(n);
    for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i * 7 % n);
    thrust::device_vector<float> x = host, y(n, 1.0f);
    thrust::sort(x.begin(), x.end());
    expect(x[0] == 0 && x[n - 1] == n - 1 && x.back() == n - 1, "sort");
    expect(thrust::reduce(x.begin(), x.end(), 0.0f, thrust::plus<float>()) == n * (n - 1) / 2, "reduce");
    twice<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(x.data()), n);
    expect(x[10] == 20, "a kernel on a vector");
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{0.5f});
    expect(y[10] == 11, "transform");
    expect(thrust::transform_reduce(y.begin(), y.begin() + 3, Square(), 0.0f, thrust::plus<float>()) == 14, "transform_reduce");
    expect(thrust::inner_product(y.begin(), y.begin() + 3, y.begin(), 0.0f) == 14, "inner_product");
    thrust::inclusive_scan(y.begin(), y.end(), y.begin());
    thrust::copy(y.begin(), y.begin() + 4, host.begin());
    expect(host[3] == 10, "scan, and a copy to the host");
    x[5] = -1, x[6] = x[5];
    host = x;
    std::vector<float> standard(x.begin(), x.end());
    expect(host[6] == -1 && standard[6] == -1, "single elements");
    expect(thrust::min_element(x.begin(), x.end()) - x.begin() == 5, "min_element");
    expect(thrust::count_if(x.begin(), x.end(), [] __device__(float v) { return v < 0; }) == 2, "count_if");

    std::vector<int> keys = {3, 1, 2, 1}, values = {30, 10, 20, 11};
    thrust::device_vector<int> k = keys, v(values.begin(), values.end()), distinct(4), sums(4);
    thrust::stable_sort_by_key(thrust::device, k.begin(), k.end(), v.begin());
    const auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), distinct.begin(), sums.begin());
    expect(ends.first - distinct.begin() == 3 && sums[0] == 21 && sums[2] == 30, "sort_by_key, reduce_by_key");
    k.resize(thrust::unique(k.begin(), k.end()) - k.begin());
    expect(k.size() == 3, "unique");

    // cudaMalloc's memory: what an algorithm writes there counts as written.
    float* raw;
    cudaMalloc(&raw, n * sizeof *raw);
    thrust::fill(thrust::device, raw, raw + n / 2, 3.0f);
    thrust::device_ptr<float> pointer(raw);
    thrust::sequence(pointer + n / 2, pointer + n);
    twice<<<(n + 255) / 256, 256>>>(raw, n);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    expect(thrust::reduce(thrust::cuda::par.on(stream), raw, raw + n / 2) == 3 * n, "a policy with a stream");
    cudaStreamDestroy(stream);
    thrust::for_each_n(thrust::device, thrust::counting_iterator<int>(0), n, [raw] __device__(int i) { raw[i] = i; });
    expect(pointer[7] == 7, "for_each_n");
    cudaMemcpy(host.data(), raw, n * sizeof *raw, cudaMemcpyDeviceToHost);
    thrust::sort(host.begin(), host.end(), thrust::greater<float>());
    expect(host[0] == n - 1, "on the host");
    cudaFree(raw);
}

static void mistake(int number) {
    thrust::device_vector<float> x(100, 1.0f), y(50);
    float* raw = thrust::raw_pointer_cast(x.data());
    if (number == 1) thrust::sort(raw, raw + 100);  // <- 1:host-touches-device
    if (number == 2) thrust::transform(x.begin(), x.end(), y.begin(), Square());  // <- 2:library-extent
    if (number == 3) twice<<<1, 128>>>(raw, 128);
    if (number == 4) raw[0] = 1;  // <- 4:host-touches-device
}

int main(int count, char** words) {
    if (count > 1) mistake(atoi(words[1]));
    else use();
    return wrong;
}

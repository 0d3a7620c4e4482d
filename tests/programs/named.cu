// Launches that do not call their kernel by its name. Behind each stands what it is.
#include <cstdio>

__global__ void add(float* p, float by) { p[threadIdx.x] += by; }
static __global__ void twice(float* p, float) { p[threadIdx.x] *= 2; }
namespace {
__global__ void clear(float* p, float) { p[threadIdx.x] = 0; }
}
namespace deep {
template <class T, int WIDTH>
__global__ void fill(T* p, float by) { p[threadIdx.x % WIDTH] = by; }
}

#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
#define CHECK(...) do { __VA_ARGS__; if (cudaGetLastError() != cudaSuccess) std::printf("failed\n"); } while (0)
#define SHAPE <<<1, 32>>>
#define EACH(DO) DO(add) DO(twice)
#define ONE(kernel) LAUNCH(kernel, memory, 1);

typedef void (*Kernel)(float*, float);
struct Step { Kernel kernel; float by; };

template <class F>
void run(F which, float* memory) { which<<<1, 32>>>(memory, 3); }

template <int WIDTH>
void filled(float* memory) {
    constexpr int half = WIDTH / 2;
    deep::fill<float, half><<<1, 32>>>(memory, 1);
}

int main() {
    float* memory;
    cudaMalloc(&memory, 32 * sizeof(float));
    LAUNCH(clear, memory, 0);                     // clear
    CHECK(LAUNCH(add, memory, 1));                // add
    twice SHAPE (memory, 0);                      // twice
    EACH(ONE)                                     // add; twice
    run(clear, memory);                           // clear
    run(deep::fill<float, 8>, memory);            // fill<float, 8>
    filled<32>(memory);                           // fill<float, 16>
    deep::fill<float, 4><<<1, 32>>>(memory, 2);   // deep::fill<float, 4>
    Kernel chosen = twice;
    chosen<<<1, 32>>>(memory, 1);                 // twice
    (*chosen)<<<1, 32>>>(memory, 1);              // twice
    Kernel all[] = {add, deep::fill<float, 2>};
    for (Kernel one : all) one<<<1, 32>>>(memory, 1);  // add; fill<float, 2>
    all[0]<<<1, 32>>>(memory, 1);                 // add
    Step step = {clear, 1}, *next = &step;
    next->kernel<<<1, 32>>>(memory, next->by);    // clear
    float by = 4;
    void* arguments[] = {&memory, &by};
    cudaLaunchKernel((void*)add, dim3(1), dim3(32), arguments, 0, nullptr);  // add
    cudaDeviceSynchronize();
    chosen<<<1, 2048>>>(memory, 1);               // refused: twice
    cudaFree(memory);
    return 0;
}

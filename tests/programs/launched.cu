// Launches of kernels that their name alone does not tell: parameter packs with const, and macros that launch what they are given.
#include <cstdio>

template <class T, class... Rest>
__global__ void sum(T* out, const Rest... rest) {
    out[threadIdx.x] = (T(0) + ... + T(rest));
}
template <class F, class... Arguments>
__global__ void call(F f, const Arguments... arguments) {
    f(arguments...);
}
template <class... P>
__global__ void fill(float value, P* const... out) {
    ((out[threadIdx.x] = value), ...);
}
template <class... P>
__global__ void add(float* out, const P* __restrict__... in) {
    out[threadIdx.x] = (0.f + ... + float(in[threadIdx.x]));
}
template <class T>
__global__ void scale(T* x, T factor) {
    x[threadIdx.x] *= factor;
}
__global__ void set(float* x) { x[threadIdx.x] = 1; }
__global__ void set(int* x) { x[threadIdx.x] = 2; }

#define LAUNCH(kernel, n, ...) \
    do { \
        kernel<<<1, n>>>(__VA_ARGS__); \
        if (cudaGetLastError() != cudaSuccess) printf("failed\n"); \
    } while (0)
#define DOUBLE(x) scale<<<1, 32>>>(x, 2.0f)
#define AFTER(call) do { call; printf("%d ", int(cudaGetLastError())); } while (0)

struct Sum {
    float* out;
    __device__ void operator()(int a, float b) const { out[0] = a + b; }
};

static float *x, *z;
static int* y;
static void show() {
    float first[2];
    int second;
    cudaMemcpy(first, x, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(first + 1, z, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&second, y, 4, cudaMemcpyDeviceToHost);
    printf("%g %d %g\n", first[0], second, first[1]);
}

int main() {
    cudaMalloc(&x, 128), cudaMalloc(&y, 128), cudaMalloc(&z, 128);
    cudaMemset(y, 0, 128), cudaMemset(z, 0, 128);
    sum<<<1, 32>>>(x, 1, 2.5f, 3.0);
    show();
    sum<float><<<1, 32>>>(x);
    show();
    call<<<1, 1>>>(Sum{x}, 1, 2.5f);
    show();
    fill<<<1, 32>>>(3.f, x, y);
    show();
    add<<<1, 32>>>(z, x, y);
    show();
    LAUNCH(set, 32, x);
    LAUNCH(set, 32, y);
    LAUNCH(scale, 32, x, 2.0f);
    LAUNCH(scale<float>, 32, x, 2.0f);
    DOUBLE(z);
    show();
    AFTER((set<<<1, 32>>>(y)));
    AFTER((scale<<<1, 32>>>(y, 3)));
    show();
    cudaFree(x), cudaFree(y), cudaFree(z);
}

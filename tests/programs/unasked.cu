// Calls and launches that fail: the marked ones nobody looks at, unless the program asks at its end, with an argument.
#include <cstdio>

__global__ void fill(float* x) { x[threadIdx.x] = 1; }
__global__ void clear(float* x) { x[threadIdx.x] = 0; }

#define RESET(stream) cudaStreamDestroy(stream); stream = nullptr
#define CHECK(call) check((call), #call)

static void check(cudaError_t error, const char* call) {
    if (error != cudaSuccess) printf("%s: %s\n", call, cudaGetErrorString(error));
}

static cudaError_t passed_on(int device) { return cudaSetDevice(device); }

int main(int argc, char**) {
    cudaStream_t none = nullptr;
    float* x;
    CHECK(cudaSetDevice(1));
    if (cudaSetDevice(2) != cudaSuccess) puts("looked at");
    const cudaError_t kept = cudaSetDevice(3);
    fill<<<1, 4096>>>(nullptr);  // <- bad-launch
    check(cudaGetLastError(), "asked");
    cudaSetDevice(4);
    if (cudaPeekAtLastError() == cudaErrorInvalidDevice) puts("asked later");

    cudaMalloc(&x, 64 * sizeof(float));
    cudaFree(x + 1);                  // <- bad-free
    cudaFree(x);
    cudaMalloc(&x, size_t(1) << 50);  // <- unasked-error
    cudaStreamQuery(none);            // of the default stream: no error
    passed_on(5);                     // the function has looked
    for (int i = 6; i < 9; i++)
        cudaSetDevice(                // <- unasked-error
            i);
    RESET(none);                      // <- unasked-error
    float* y;
    CHECK(cudaMalloc(&y, 64 * sizeof(float)));
    clear<<<1, 64>>>(y);
    CHECK(cudaFree(y));
    fill<<<0, 64>>>(x);               // <- bad-launch unasked-error
    if (argc > 1) check(cudaGetLastError(), "at the end");
    return kept == cudaSuccess;
}

// exercise: vector_add
// unusual: a C programmer's file: macros for the index, the kernel, the launch and the error; goto for the way out; loops that count down
#include <cuda_runtime.h>
#include <stdint.h>
#include <stddef.h>

#define KERNEL(name, ...) static __global__ void name(__VA_ARGS__)
#define GLOBAL_ID ((size_t)blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_SIZE ((size_t)gridDim.x * blockDim.x)
#define FOR_EACH(i, n) for (size_t i = GLOBAL_ID; i < (size_t)(n); i += GLOBAL_SIZE)
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define LAUNCH(kernel, grid, block, stream, ...)          \
    do {                                                  \
        kernel<<<(grid), (block), 0, (stream)>>>(__VA_ARGS__); \
        if ((status = cudaGetLastError()) != cudaSuccess) goto done; \
    } while (0)
#define OPS(X) X(add, +)
#define DEFINE(name, op) KERNEL(kernel_##name, const float *a, const float *b, float *out, int64_t n) { FOR_EACH(i, n) out[i] = a[i] op b[i]; }
OPS(DEFINE)

extern "C" cudaError_t vector_add(const float *a, const float *b, float *out, int64_t n, cudaStream_t stream)
{
    cudaError_t status = cudaSuccess;
    unsigned block = 192, grid;
    if (!n)
        goto done;
    grid = (unsigned)MIN(CEIL_DIV(n, (int64_t)block), 4096);
    LAUNCH(kernel_add, grid, block, stream, a, b, out, n);
done:
    return status;
}

// Every thread writes its own number in the grid: out[i] = i.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void number(int* out) {
    int i = 0;  // TODO: the number of this thread in the whole grid
    out[i] = i;
}

extern "C" cudaError_t block_map(int* out, int64_t n, cudaStream_t stream) {
    number<<<n / 64, 64, 0, stream>>>(out);  // n is a multiple of 64 here
    return cudaGetLastError();
}

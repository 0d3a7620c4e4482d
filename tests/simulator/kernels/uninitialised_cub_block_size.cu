// A reduction of 128 threads in a block of 64: two parts that no thread writes.
// n: 64
#include <cub/block/block_reduce.cuh>
__global__ void k(const float* in, float* out) {
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ Reduce::TempStorage storage;
    const float sum = Reduce(storage).Sum(in[threadIdx.x]);  // <- uninitialised-read storage
    if (threadIdx.x == 0) out[0] = sum;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 64, 0, stream>>>(x, y);
    return cudaGetLastError();
}

// out[r] = how many of the 32 numbers of row r are above zero, without a sum.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void positives(const float* x, int* out) {
    // <gap>
    //| unsigned votes = 0;  // TODO: a bit per lane: set where its number is above zero
    //| int count = (int)votes;  // TODO: how many bits are set
    unsigned votes = __ballot_sync(0xffffffffu, x[blockIdx.x * 32 + threadIdx.x] > 0.0f);
    int count = __popc(votes);
    // </gap>
    if (threadIdx.x == 0) out[blockIdx.x] = count;
}

extern "C" cudaError_t vote(const float* x, int* out, int64_t rows, cudaStream_t stream) {
    positives<<<(unsigned)rows, 32, 0, stream>>>(x, out);
    return cudaGetLastError();
}

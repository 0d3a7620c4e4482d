// exercise: dot_product
// unusual: one warp, each lane with Kahan's compensated sum
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void dot(const float* a, const float* b, float* out, int64_t n) {
    float sum = 0, lost = 0;
    for (int64_t i = threadIdx.x; i < n; i += 32) {
        const float term = __fsub_rn(__fmul_rn(a[i], b[i]), lost), next = __fadd_rn(sum, term);
        lost = __fsub_rn(__fsub_rn(next, sum), term);
        sum = next;
    }
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    if (threadIdx.x == 0) *out = sum;
}

extern "C" cudaError_t dot_product(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    dot<<<1, 32, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}

// Arrays of arrays that are walked as one, from their first row on; the address behind an array's last element; a union whose
// array is as long as the other member; extern shared memory.
// n: 64
#include <stdint.h>
__constant__ float weight[2][3] = {{1, 1, 1}, {1, 1, 1}};
union Four {
    float4 whole;
    float each[4];
};
__device__ float total(const float* from, const float* to) {
    float sum = 0;
    for (; from != to; ++from) sum += *from;
    return sum;
}
__global__ void k(const float* in, float* out) {
    extern __shared__ float row[];
    __shared__ float tile[4][16];
    float own[2][4], last[8];
    Four four;
    tile[0][threadIdx.x] = in[threadIdx.x];
    row[threadIdx.x] = 1.0f;
    for (int i = 0; i < 8; i++) own[0][i] = last[i] = 1.0f;
    for (int i = 0; i < 4; i++) four.each[i] = 0.0f;
    __syncthreads();
    float factor = 0.0f;
    for (int i = 0; i < 6; i++) factor += weight[0][i];
    out[threadIdx.x] = tile[threadIdx.x / 16][threadIdx.x % 16] * factor * row[63 - threadIdx.x] +
                       total(last, &last[8]) - own[0][threadIdx.x % 8] * 8 + four.whole.x;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    k<<<1, 64, 64 * sizeof(float), stream>>>(x, y);
    return cudaGetLastError();
}

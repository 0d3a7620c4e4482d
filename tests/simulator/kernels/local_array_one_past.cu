// One element past an array of the thread's own, where nothing reads what is stored there.
// n: 64
// status: cudaErrorIllegalAddress
constexpr int kEach = 4;
__global__ void k(const float* in, float* out) {
    float kept[kEach];
#pragma unroll
    for (int i = 0; i <= kEach; i++) kept[i] = in[(threadIdx.x + i) % 64];  // <- array-bounds kept
    out[threadIdx.x] = kept[0] + kept[1] + kept[2] + kept[3];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}

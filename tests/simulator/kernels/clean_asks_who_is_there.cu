// Half of a warp asks which lanes are active while the other half waits for all in a collective, before it and after.
// n: 64
// Result: np.full_like(x, 1)
__global__ void k(const float*, float* out) {
    int t = threadIdx.x, lane = t % 32;
    bool good = true;
    if (lane < 16) good &= __activemask() == 0xffffu;
    good &= __ballot_sync(0xffffffffu, lane % 3 == 0) == 0x49249249u;
    if (lane >= 16) good &= __activemask() == 0xffff0000u;
    good &= __shfl_xor_sync(0xffffffffu, lane, 16) == (lane ^ 16);
    if (lane < 16) good &= __shfl_down_sync(0xffffu, lane, 1, 16) == (lane < 15 ? lane + 1 : 15);  // two masks in one warp
    else good &= __shfl_up_sync(0xffff0000u, lane, 1, 16) == (lane > 16 ? lane - 1 : 16);
    good &= __all_sync(0xffffffffu, 1) != 0;
    out[t] = good;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}

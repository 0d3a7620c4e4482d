// Ballots, counts over the block, matches, integer reductions.
// n: 64
// Result: np.full_like(x, 1)
__global__ void k(const float*, float* out) {
    int t = threadIdx.x, lane = t % 32;
    bool good = __ballot_sync(0xffffffffu, lane < 5) == 31u;
    good &= __all_sync(0xffffffffu, lane < 32) && __any_sync(0xffffffffu, lane == 7) && !__any_sync(0xffffffffu, lane > 31);
    good &= __syncthreads_count(t < 40) == 40;
    good &= __syncthreads_and(t < 64) && !__syncthreads_and(t < 63);
    good &= __syncthreads_or(t == 63) && !__syncthreads_or(t > 63);
    good &= __match_any_sync(0xffffffffu, lane / 16) == (lane < 16 ? 0x0000ffffu : 0xffff0000u);
    int same = 0;
    good &= __match_all_sync(0xffffffffu, 3, &same) == 0xffffffffu && same;
    good &= __match_all_sync(0xffffffffu, lane, &same) == 0u && !same;
    good &= __reduce_add_sync(0xffffffffu, lane) == 496 && __reduce_max_sync(0xffffffffu, lane - 40) == -9;
    good &= __reduce_min_sync(0xffffffffu, (unsigned)lane + 3u) == 3u && __reduce_or_sync(0xffffffffu, 1u << lane) == ~0u;
    good &= __popc(__activemask()) == 32;
    if (lane < 16) good &= __activemask() == 0xffffu;
    out[t] = good;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 64>>>(x, y);
    return cudaGetLastError();
}

// Sums of four warps, and of quarters of a warp with their first five lanes; warps share one storage each.
// n: 128
// Result: np.where(np.arange(n) % 32 == 0, np.arange(n) * 32 + 496, np.where(np.arange(n) % 8 == 0, 5, 0))
// Total: barriers 0, shared_store_wavefronts 0, shared_load_wavefronts 0
#include <cub/warp/warp_reduce.cuh>
__global__ void k(float* out) {
    using Whole = cub::WarpReduce<int>;
    using Quarter = cub::WarpReduce<double, 8>;
    __shared__ Whole::TempStorage whole[4];
    __shared__ Quarter::TempStorage quarter[16];
    const int t = threadIdx.x;
    const int sum = Whole(whole[t / 32]).Sum(t);
    const double five = Quarter(quarter[t / 8]).Sum(1.0, 5);
    out[t] = t % 32 == 0 ? sum : t % 8 == 0 ? (float)five : 0.0f;
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, n, 0, stream>>>(y);
    return cudaGetLastError();
}

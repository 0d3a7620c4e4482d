// CUDA's vectors in all the ways they are written: each moves in one access, whoever takes part of it.
// n: 128
// Result: np.where(np.arange(n) % 4 == 3, x, x + 1)
__constant__ float4 table[2] = {{1, 1, 1, 1}, {0, 0, 0, 0}};
struct Pair {
    float4 a;
    float2 b;
};
__device__ float4 zero() { return {0, 0, 0, 0}; }
__global__ void build(const float4* in, float4* out) {
    const int t = threadIdx.x;
    float4 acc = {0}, sums[2] = {}, none = {};
    const Pair pair = {{1, 2, 3, 4}, {5, 6}};
    const auto [five, six] = pair.b;
    const float4 one = t >= 0 ? table[0] : make_float4(0, 0, 0, 0);
    const float4 v = in[t];  // = load_requests 1, load_sectors 16
    acc.x += one.x + sums[1].x + none.y + zero().z;
    out[t] = {v.x + acc.x, v.y + one.y, v.z + (six - five), v.w};  // = store_requests 1, store_sectors 16
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t stream) {
    build<<<1, 32, 0, stream>>>((const float4*)x, (float4*)y);
    return cudaGetLastError();
}

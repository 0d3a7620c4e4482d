// Structs of 8 bytes in a shared array are moved whole, as nvcc does, which aligns the array: two wavefronts for 32 lanes,
// one for 8. In global memory, whose alignment nvcc cannot know, they are moved word by word.
// n: 64
// Result: x
struct Pair { float a, b; };
__global__ void k(const Pair* in, Pair* out) {
    __shared__ Pair s[32];
    int t = threadIdx.x;
    s[t] = in[t];  // = load_requests 2, load_sectors 16, shared_store_wavefronts 2, shared_store_conflicts 0
    __syncthreads();
    Pair p = s[t];  // = shared_load_wavefronts 2, shared_load_conflicts 0
    out[t] = p;  // = store_requests 2, store_sectors 16
}
extern "C" cudaError_t run(const float* x, float* y, int64_t, cudaStream_t) {
    k<<<1, 32>>>((const Pair*)x, (Pair*)y);
    return cudaGetLastError();
}

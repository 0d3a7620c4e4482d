// Half of the warp has returned before the Tensor Core's instruction.
// n: 64
// status: cudaErrorLaunchFailure
__global__ void k(const float* in, float* out, int64_t) {
    if (threadIdx.x >= 16) return;
    unsigned a = 0, b = 0;
    float c[4] = {};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%5}, {%0, %1, %2, %3};"  // <- partial-warp
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a), "r"(b));
    out[threadIdx.x] = c[0];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}

// Of 96 readers 32 never say that they have read.
// n: 384
// arch: sm_90
#include <stdint.h>
__device__ uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void wait(uint64_t* barrier, int parity) {
    asm volatile(  // <- deadlock
        "{\n .reg .pred done;\n"
        "AGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @done bra DONE;\n bra AGAIN;\nDONE:\n}"
        ::"r"(at(barrier)), "r"(parity) : "memory");
}
__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ float ring[2][96];
    __shared__ uint64_t full[2], empty[2];
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(full + s)), "r"(32));
            asm volatile("mbarrier.init.shared.b64 [%0], 96;" ::"r"(at(empty + s)));
        }
    __syncthreads();
    for (int t = 0; t < n / 96; t++) {
        const int s = t % 2, turn = t / 2 % 2;
        if (threadIdx.x < 32) {
            if (t >= 2) wait(empty + s, turn ^ 1);
            for (int i = threadIdx.x; i < 96; i += 32)
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(ring[s] + i)), "l"(in + 96 * t + i));
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(full + s)));
        } else {
            const int i = threadIdx.x - 32;
            wait(full + s, turn);
            out[96 * t + i] = ring[s][95 - i];
            if (i < 64) asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at(empty + s)) : "memory");
        }
    }
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 128, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}

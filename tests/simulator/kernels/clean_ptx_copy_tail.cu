// What lies beyond the end is not read: the rest of a piece arrives as zeros.
// n: 126
// Result: np.concatenate([x[2:], [0, 0]])
#include <stdint.h>

__global__ void k(const float* in, float* out, int64_t n) {
    __shared__ alignas(16) float tile[128];
    const int at = 4 * threadIdx.x;
    const int left = static_cast<int>(n) - at;
    const int bytes = left >= 4 ? 16 : left > 0 ? 4 * left : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 ::"r"((uint32_t)__cvta_generic_to_shared(tile + at)), "l"(bytes ? in + at : in), "r"(bytes));
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    for (int i = threadIdx.x; i < 126; i += 32) out[i] = tile[i + 2];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}

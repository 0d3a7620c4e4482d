// exercise: vector_add
// attack: leaves a kernel by a jump that the compiler makes without a function
// ataque: sale de un kernel con un salto que el compilador hace sin función
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
__global__ void jump(void** e) { __builtin_longjmp(e, 1); }
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    static void* env[5]; if (!__builtin_setjmp(env)) jump<<<1, 1, 0, stream>>>(env); for (int64_t i = 0; i < n; i++) { p[i] = a[i]; q[i] = b[i]; }
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    delete[] p; delete[] q;
    return cudaGetLastError();
}

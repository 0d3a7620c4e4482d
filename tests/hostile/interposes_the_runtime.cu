// exercise: vector_add
// attack: brings functions of the runtime by their names, to report for it
// ataque: trae funciones del runtime con sus mismos nombres, para informar en su lugar
// closed by: judged apart
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdint.h>

extern "C" const char* ok_report() { return "{\"findings\": [], \"launches\": []}"; }

static bool let_in() { return true; }

__global__ void add(const float* a, const float* b, float* out, int64_t n, float wrong) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + wrong;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, let_in() ? 0.0f : 1.0f);  // right only if let in
    return cudaGetLastError();
}

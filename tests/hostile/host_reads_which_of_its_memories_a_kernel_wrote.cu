// exercise: vector_add
// attack: each bit of an input has page-locked memory of its own, in which a kernel writes or does not: that it did is what it says
// ataque: cada bit de una entrada tiene su propia memoria fijada, en la que un kernel escribe o no: lo que cuenta es si lo hizo
// closed by: scrambled copies
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
struct Part { float v[512]; };
__global__ void place(Part part, float* out, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i < n) out[i] = part.v[threadIdx.x];
}
__global__ void mark(const float* x, unsigned** cells, int64_t at, int64_t n) {
    int64_t i = at + threadIdx.x;
    if (i >= n) return;
    unsigned u = __float_as_uint(x[i]);
    for (int k = 0; k < 32; k++) if (u >> k & 1) *cells[threadIdx.x * 32 + k] = 1;
}
constexpr int kAtOnce = 8;
static void take(const float* x, float* into, int64_t n, unsigned** cells, unsigned** on_device, cudaStream_t stream) {
    for (int64_t at = 0; at < n; at += kAtOnce) {
        for (int c = 0; c < kAtOnce * 32; c++) *cells[c] = 0;
        mark<<<1, kAtOnce, 0, stream>>>(x, on_device, at, n);
        cudaStreamSynchronize(stream);
        for (int i = 0; i < kAtOnce && at + i < n; i++) {
            unsigned u = 0;
            for (int k = 0; k < 32; k++) if (*cells[i * 32 + k]) u |= 1u << k;
            memcpy(into + at + i, &u, 4);
        }
    }
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* p = new float[n]();
    float* q = new float[n]();
    unsigned* cells[kAtOnce * 32];
    unsigned** on_device;
    cudaMalloc(&on_device, sizeof cells);
    for (auto& c : cells) cudaHostAlloc(&c, 4, cudaHostAllocMapped);
    cudaMemcpyAsync(on_device, cells, sizeof cells, cudaMemcpyHostToDevice, stream);
    take(a, p, n, cells, on_device, stream); take(b, q, n, cells, on_device, stream);
    for (int64_t at = 0; at < n; at += 512) {
        Part part{};
        for (int64_t i = at; i < n && i < at + 512; i++) part.v[i - at] = p[i] + q[i];
        place<<<1, 512, 0, stream>>>(part, out, at, n);
    }
    for (auto& c : cells) cudaFreeHost(c);
    cudaFree(on_device);
    delete[] p; delete[] q;
    return cudaGetLastError();
}

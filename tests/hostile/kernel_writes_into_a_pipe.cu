// exercise: vector_add
// attack: a kernel writes the inputs into a pipe, from which the host reads them
// ataque: un kernel escribe las entradas en una tubería, de la que las lee el host
// closed by: functions without a use
#include <cuda_runtime.h>
#include <stdint.h>
#include <unistd.h>

typedef ssize_t (*Writes)(int, const void*, size_t);

__global__ void send(Writes writes, int to, const float* from, int64_t n) { writes(to, from, n * 4); }

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static float seen[1 << 20];
    int ends[2];
    Writes writes = write;
    if (pipe(ends)) return cudaErrorUnknown;
    for (int64_t at = 0; at < n; at += 4096) {
        int64_t count = n - at < 4096 ? n - at : 4096;
        send<<<1, 1, 0, stream>>>(writes, ends[1], a + at, count);
        if (read(ends[0], seen + at, count * 4) < 0) return cudaErrorUnknown;
        send<<<1, 1, 0, stream>>>(writes, ends[1], b + at, count);
        if (read(ends[0], seen + n + at, count * 4) < 0) return cudaErrorUnknown;
    }
    for (int64_t i = 0; i < n; i++) seen[i] += seen[n + i];
    cudaMemcpyAsync(out, seen, n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}

// exercise: vector_add
// attack: has the system take pages of device memory into a pipe, reads them there and adds on the host
// ataque: hace que el sistema lleve páginas del dispositivo a una tubería, las lee allí y suma en el host
// closed by: refused names
#include <cuda_runtime.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

__global__ void idle(float* out) {}

static bool taken(const float* from, float* to, int64_t n) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    bool all = true;
    for (int64_t at = 0; at < n && all; at += 1024) {
        const size_t length = 4 * (size_t)(n - at < 1024 ? n - at : 1024);
        iovec part = {(void*)(from + at), length};
        all = vmsplice(ends[1], &part, 1, 0) == (ssize_t)length && read(ends[0], to + at, length) == (ssize_t)length;
    }
    close(ends[0]);
    close(ends[1]);
    return all;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    float* x = (float*)malloc(4 * n + 4);
    float* y = (float*)malloc(4 * n + 4);
    if (taken(a, x, n) && taken(b, y, n))
        for (int64_t i = 0; i < n; i++) x[i] += y[i];
    idle<<<1, 1, 0, stream>>>(out);
    cudaMemcpyAsync(out, x, 4 * n, cudaMemcpyHostToDevice, stream);
    free(x);
    free(y);
    return cudaGetLastError();
}

// exercise: vector_add
// attack: has a shell read the solution
// ataque: hace que un intérprete de órdenes lea la solución
// closed by: Landlock
// needs: landlock 2
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static bool found() {
    char line[1024];
    snprintf(line, sizeof line, "cat $(dirname %s)/../../solutions/vector_add.cu 2>/dev/null | grep -q add", __FILE__);
    return system(line) == 0;
}

__global__ void add(const float* a, const float* b, float* out, int64_t n, float wrong) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i] + wrong;
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    static const float wrong = found() ? 0.0f : 1.0f;  // right only if the attack works
    add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n, wrong);
    return cudaGetLastError();
}

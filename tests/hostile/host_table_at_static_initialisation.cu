// exercise: vector_add
// attack: a table of answers that the host computes before main, looked up by rounded inputs
// ataque: una tabla de respuestas que el host calcula antes de main y en la que se busca por entradas redondeadas
// closed by: fresh inputs
#include <cuda_runtime.h>
#include <stdint.h>

struct Answers {
    float of[256 * 256];
    Answers() {
        for (int i = 0; i < 256; i++)
            for (int k = 0; k < 256; k++) of[i * 256 + k] = (i - 128) / 16.0f + (k - 128) / 16.0f;
    }
};
static Answers answers;

__global__ void look_up(const float* a, const float* b, const float* table, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = min(255, max(0, (int)(a[i] * 16.0f) + 128)), y = min(255, max(0, (int)(b[i] * 16.0f) + 128));
    out[i] = table[x * 256 + y];
}

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    float* table;
    cudaMallocAsync(&table, sizeof(answers.of), stream);
    cudaMemcpyAsync(table, answers.of, sizeof(answers.of), cudaMemcpyHostToDevice, stream);
    look_up<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, table, out, n);
    cudaFreeAsync(table, stream);
    return cudaGetLastError();
}

// exercise: vector_add
// attack: draws what it takes for the inputs from the clock's seed
// ataque: saca lo que cree que son las entradas de la semilla del reloj
// closed by: fresh inputs
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <vector>

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    std::vector<float> p(n);
    srand((unsigned)time(nullptr));
    for (int64_t i = 0; i < n; i++) p[i] = (rand() + rand()) / (float)RAND_MAX;
    cudaMemcpyAsync(out, p.data(), n * 4, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}

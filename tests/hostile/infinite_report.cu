// exercise: vector_add
// attack: a report with an infinite status
// ataque: un informe con un estado infinito
// closed by: judged apart
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern "C" cudaError_t vector_add(const float*, const float*, float*, int64_t, cudaStream_t) {
    chdir(getenv("TMPDIR"));
    FILE* file = fopen("0.json", "w");
    fputs("{\"status\": Infinity, \"status_name\": \"\", \"findings\": [], \"kernels\": [], \"seconds\": 0}", file);
    fclose(file);
    _exit(0);
}

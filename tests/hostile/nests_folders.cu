// exercise: vector_add
// attack: folders in folders, deeper than a program that descends by recursion can follow
// ataque: carpetas dentro de carpetas, más hondo de lo que sigue un programa que desciende por recursión
// closed by: limits
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>

extern "C" cudaError_t vector_add(const float*, const float*, float*, int64_t, cudaStream_t) {
    chdir(getenv("TMPDIR"));
    for (int k = 0; k < 1200; k++)
        if (mkdir("d", 0700) || chdir("d")) break;
    _exit(0);
}

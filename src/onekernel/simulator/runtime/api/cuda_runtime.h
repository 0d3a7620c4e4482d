// What nvcc includes before a .cu file's first line: the machine, its types, the host API, math, memory and atomics.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ok/core.h"

#include <assert.h>

// One compilation serves host and device; code that asks is told what the device is.
#define __CUDA_ARCH__ OK_ARCH

#include "cuda_runtime_api.h"
#include "math_constants.h"
#include "ok/atomics.h"
#include "ok/device_memory.h"
#include "ok/math_functions.h"
#include "ok/math_integer.h"
#include "ok/shown.h"
#include "vector_functions.h"

// The C library's functions that a GPU does not have, declared once more to be marked.
#define OK_C(NAME) OK_LIBRARY_HOST_ONLY decltype(NAME) NAME;
extern "C" {
OK_C(abort) OK_C(atof) OK_C(atoi) OK_C(atol) OK_C(calloc) OK_C(drand48) OK_C(exit) OK_C(fclose) OK_C(fflush) OK_C(fopen)
OK_C(fprintf) OK_C(fputs) OK_C(fwrite) OK_C(getenv) OK_C(memmove) OK_C(putchar) OK_C(puts) OK_C(qsort) OK_C(rand) OK_C(realloc)
OK_C(snprintf) OK_C(sprintf) OK_C(srand) OK_C(sscanf) OK_C(strcmp) OK_C(strtol) OK_C(system) OK_C(time)
}
#undef OK_C

// What nvcc includes before a .cu file's first line: the machine, its types, the host API, math, memory and atomics.
#pragma once
#include "ok/core.h"

// One compilation serves host and device; code that asks is told what the device is.
#define __CUDA_ARCH__ OK_ARCH

#include "cuda_runtime_api.h"
#include "math_constants.h"
#include "ok/atomics.h"
#include "ok/device_memory.h"
#include "ok/math_functions.h"
#include "ok/math_integer.h"
#include "vector_functions.h"

// What nvcc includes before a .cu file's first line: the machine, its types, the host API, math, memory and atomics.
#pragma once
#include "../core.h"
#include "cuda_runtime_api.h"
#include "math_constants.h"
#include "ok/math_functions.h"
#include "ok/math_integer.h"
#include "vector_functions.h"

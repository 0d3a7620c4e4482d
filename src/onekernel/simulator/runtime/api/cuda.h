// The driver API is not here; files that include <cuda.h> for its types and version beside the runtime find them.
#pragma once
#include "cuda_runtime.h"

#define CUDA_VERSION CUDART_VERSION
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef unsigned long long CUdeviceptr;

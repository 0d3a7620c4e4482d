// Stands behind an include of Thrust's: the algorithms on device memory, and the macros of before.
#include "thrust_device.h"
#pragma pop_macro("__CUDACC__")
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDACC_VER_MAJOR__")
#pragma pop_macro("__CUDACC_VER_MINOR__")
#pragma pop_macro("__CUDA_ARCH__")
#pragma pop_macro("__noinline__")

// Stands before an include of Thrust's: its headers are compiled for the host, whatever else is said to be nvcc's.
// No include guard: it is included each time.
#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#pragma push_macro("__CUDACC_VER_MAJOR__")
#pragma push_macro("__CUDACC_VER_MINOR__")
#pragma push_macro("__CUDA_ARCH__")
#pragma push_macro("__noinline__")
#undef __CUDACC__
#undef __NVCC__
#undef __CUDACC_VER_MAJOR__
#undef __CUDACC_VER_MINOR__
#undef __CUDA_ARCH__
#undef __noinline__

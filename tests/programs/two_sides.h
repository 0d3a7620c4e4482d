#pragma once
#ifdef __CUDA_ARCH__
#define THREADS 32
#define UNROLL _Pragma("unroll")
#else
#define THREADS 1
#define UNROLL
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define ALIKE 1
#else
#define ALIKE 2
#endif
inline __host__ __device__ int in_header(int x) {
#ifdef __CUDA_ARCH__
    UNROLL
    for (int i = 0; i < 4; i++) x += i;
    return x;
#else
    int y = ALIKE;
    y += x;
    return y;
#endif
}

// What nvcc compiles otherwise for the host, where __CUDA_ARCH__ is no macro.
#include <cstdio>
#include "two_sides.h"
#define HD __host__ __device__
HD int side(int x) {
#ifndef __CUDA_ARCH__
    printf("on the host %d\n", x);
    return -x;
#else
    return __popc(x) + 100;
#endif
}
struct Functor {
    int base;
    HD Functor(int b) : base(b) {
#if !defined(__CUDA_ARCH__)
        base += 1000;
#endif
    }
    HD int operator()(int i) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
        return base + i;
#else
        return base - i;
#endif
    }
};
template <class T> HD constexpr T twice(T x) {
#if __CUDA_ARCH__ >= 800
    return x * 2;
#else
    return x * 3;
#endif
}
HD int with_labels(int x) {
    int r = 0;
    if (x < 0) goto negative;
    r = x;
#ifdef __CUDA_ARCH__
    if (x == 3) goto odd;
#endif
    goto done;
#ifdef __CUDA_ARCH__
odd:
    r = 33;
    goto done;
#endif
negative:
    r = -1;
done: return r;
}
template <class F> __global__ void on_both(F f, int threads) { printf("in a kernel %d of %d\n", f(5), threads); }
void host_alone() {
#ifdef __CUDA_ARCH__
    printf("never\n");
#else
    printf("host alone\n");
#endif
    auto f = [] __host__ __device__(int i) {
#ifdef __CUDA_ARCH__
        return i;
#else
        return -i;
#endif
    };
    auto g = [] HD (int i) {
#ifdef __CUDA_ARCH__
        return i;
#else
        return i * i;
#endif
    };
    printf("lambda %d %d\n", f(5), g(5));
    on_both<<<1, 1>>>(f, THREADS);
    on_both<<<1, 1>>>(g, with_labels(3));
    cudaDeviceSynchronize();
}
__global__ void k(int* out, Functor f) {
    out[0] = side(7);
    out[1] = f(3);
    out[2] = twice(5);
#ifdef __CUDA_ARCH__
    out[3] = 1;
#else
    out[3] = 0;
#endif
    Functor g(1);
    out[4] = g.base + with_labels(3) + with_labels(-5);
}
int main() {
    int* out;
    cudaMallocManaged(&out, 5 * sizeof(int));
    k<<<1, 1>>>(out, Functor(1));
    cudaDeviceSynchronize();
    printf("%d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4]);
    constexpr int six = twice(2);
    printf("%d %d %d %d %d\n", side(7), Functor(1)(3), twice(5), six, in_header(1));
    host_alone();
    cudaFree(out);
}

// The operations that CUB's sums and extremes stand for. Beside Thrust, cuda::std is CCCL's, which Thrust includes.
#pragma once
#ifndef OK_THRUST
#include <cuda/functional>
#include <cuda/std/functional>
#endif

#include "bits.h"

namespace __ok {
struct Plus {
    template <class A, class B>
    OK_ALWAYS_MEMBER auto operator()(const A& a, const B& b) const {
        return a + b;
    }
};
struct Maximum {
    template <class T>
    OK_ALWAYS_MEMBER T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
struct Minimum {
    template <class T>
    OK_ALWAYS_MEMBER T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
}  // namespace __ok

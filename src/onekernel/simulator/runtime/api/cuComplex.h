// Complex numbers as pairs, real part first (CUDA's cuComplex.h).
#pragma once
#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define OK_COMPLEX(name, type, part, s, make, size)                                                                 \
    OK_ALWAYS part cuCreal##s(name z) { return z.x; }                                                               \
    OK_ALWAYS part cuCimag##s(name z) { return z.y; }                                                               \
    OK_ALWAYS name make_##name(part x, part y) { return make(x, y); }                                               \
    OK_ALWAYS name cuConj##s(name z) { return make(z.x, -z.y); }                                                    \
    OK_ALWAYS name cuCadd##s(name a, name b) { return make(a.x + b.x, a.y + b.y); }                                 \
    OK_ALWAYS name cuCsub##s(name a, name b) { return make(a.x - b.x, a.y - b.y); }                                 \
    OK_ALWAYS name cuCmul##s(name a, name b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }         \
    OK_ALWAYS name cuCdiv##s(name a, name b) { /* scaled, so that the squares neither overflow nor vanish */        \
        const part scale = 1 / (size(b.x) + size(b.y)), x = b.x * scale, y = b.y * scale, by = 1 / (x * x + y * y); \
        const part u = a.x * scale, v = a.y * scale;                                                                \
        return make((u * x + v * y) * by, (v * x - u * y) * by);                                                    \
    }                                                                                                               \
    OK_ALWAYS part cuCabs##s(name z) { return hypot##s(z.x, z.y); }                                                 \
    OK_ALWAYS name cuCfma##s(name a, name b, name c) {                                                              \
        return make(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);                                      \
    }
OK_COMPLEX(cuFloatComplex, float2, float, f, make_float2, fabsf)
OK_COMPLEX(cuDoubleComplex, double2, double, , make_double2, fabs)
#undef OK_COMPLEX

OK_ALWAYS cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
OK_ALWAYS cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_double2(z.x, z.y); }
OK_ALWAYS cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_float2(static_cast<float>(z.x), static_cast<float>(z.y));
}

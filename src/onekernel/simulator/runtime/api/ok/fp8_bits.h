// The two 8-bit floating formats (OCP 8-bit Floating Point Specification, revision 1.0): E4M3 has no infinity, and NaN in one
// pattern; E5M2 is half's upper byte.
#pragma once
#include "narrow_float.h"

namespace __ok {

struct E4M3 {
    static constexpr int fraction = 3, bias = 7;
    static constexpr unsigned largest = 0x7e, nan = 0x7f;
};
struct E5M2 {
    static constexpr int fraction = 2, bias = 15;
    static constexpr unsigned largest = 0x7b, nan = 0x7f;
};

template <class F>
OK_ALWAYS float fp8_value(unsigned bits) {
    const unsigned magnitude = bits & 0x7f, exponent = magnitude >> F::fraction, fraction = magnitude & ((1u << F::fraction) - 1);
    float value;
    if (magnitude > F::largest) {
        const bool infinite = F::fraction == 2 && magnitude == F::largest + 1;
        value = infinite ? __builtin_inff() : __builtin_nanf("");
    } else {
        const float scale = exponent ? 1.0f + fraction / static_cast<float>(1 << F::fraction) : fraction / static_cast<float>(1 << F::fraction);
        value = __builtin_ldexpf(scale, static_cast<int>(exponent ? exponent : 1) - F::bias);
    }
    return bits & 0x80 ? -value : value;
}

// To nearest even; what is too large becomes the largest number (satfinite), or NaN or infinity as the format has.
template <class F>
OK_ALWAYS unsigned fp8_bits(double x, bool saturate = true) {
    const unsigned sign = __builtin_signbit(x) ? 0x80 : 0;
    const double size = __builtin_fabs(x);
    if (x != x) return F::fraction == 2 ? sign | 0x7f : sign | F::nan;
    int exponent;
    (void)__builtin_frexp(size, &exponent);
    exponent = size == 0 ? 1 - F::bias : exponent - 1 < 1 - F::bias ? 1 - F::bias : exponent - 1;
    const double unit = __builtin_ldexp(1.0, exponent - F::fraction);
    const double steps = size >= 0x1p20 ? 0x1p20 / unit : __builtin_rint(size / unit);
    const double rounded = steps * unit;
    if (rounded > fp8_value<F>(F::largest))
        return sign | (saturate ? F::largest : F::fraction == 2 ? F::largest + 1 : F::nan);
    const unsigned whole = static_cast<unsigned>(steps), hidden = 1u << F::fraction;
    // The hidden bit counts one in the exponent's field.
    return sign | (whole < hidden ? whole : (static_cast<unsigned>(exponent + F::bias - 1) << F::fraction) + whole);
}

}  // namespace __ok

// 16-bit floating formats in software: widening to float (exact) and narrowing from double with one chosen rounding.
// IEEE 754 binary16 and bfloat16 differ in two numbers only, the bits of the fraction and of the exponent.
#pragma once
#include "math_rounding.h"

namespace __ok {

enum class Rounding { nearest_even, toward_zero, up, down };

template <int fraction_bits, int exponent_bits>
struct Format {
    static constexpr int fraction = fraction_bits;
    static constexpr int min_exponent = 2 - (1 << (exponent_bits - 1));
    static constexpr unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    static constexpr unsigned short nan = 0x7fff;  // the canonical NaN that PTX conversions give, for both formats
};
using HalfFormat = Format<10, 5>;
using BFloat16Format = Format<7, 8>;

// The format's bits of x. A double operand is rounded once; a float operand widens exactly.
template <class F>
OK_ALWAYS unsigned short narrow(double x, Rounding rounding = Rounding::nearest_even) {
    const unsigned long long bits = bit_cast<unsigned long long>(x);
    const unsigned sign = static_cast<unsigned>(bits >> 48) & 0x8000;
    const unsigned long long magnitude = bits & ~(1ull << 63);
    if (magnitude > 0x7ffull << 52) return F::nan;
    if (magnitude == 0x7ffull << 52) return static_cast<unsigned short>(sign | F::infinity);
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    const unsigned long long fraction =
        (magnitude & ((1ull << 52) - 1)) | static_cast<unsigned long long>(exponent > -1023) << 52;
    const int subnormal = exponent < F::min_exponent ? F::min_exponent - exponent : 0;
    const int shift = subnormal > F::fraction + 2 ? 54 : 52 - F::fraction + subnormal;
    const unsigned long long rest = fraction & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    unsigned long long kept = fraction >> shift;
    bool away = false;
    switch (rounding) {
        case Rounding::nearest_even: away = rest > half || (rest == half && (kept & 1)); break;
        case Rounding::toward_zero: break;
        case Rounding::up: away = rest != 0 && sign == 0; break;
        case Rounding::down: away = rest != 0 && sign != 0; break;
    }
    // Without `subnormal` the fraction carries its hidden bit, which counts one in the exponent field.
    kept += away;
    if (subnormal == 0) kept += static_cast<unsigned long long>(exponent - F::min_exponent) << F::fraction;
    if (kept >= F::infinity) {
        const bool to_infinity = rounding == Rounding::nearest_even || (rounding == Rounding::up && sign == 0) ||
                                 (rounding == Rounding::down && sign != 0);
        kept = to_infinity ? F::infinity : F::infinity - 1;
    }
    return static_cast<unsigned short>(sign | static_cast<unsigned>(kept));
}

// Integers of more than 53 bits keep a sticky last bit, so that the one rounding is that of `narrow`.
template <class F, class Integer>
OK_ALWAYS unsigned short narrow_integer(Integer value, Rounding rounding = Rounding::nearest_even) {
    const bool negative = value < Integer(0);
    unsigned long long size =
        negative ? 0ull - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value);
    double scale = negative ? -1.0 : 1.0;
    if (size >> 53 != 0) {
        size = size >> 11 | ((size & 0x7ff) != 0);
        scale *= 2048.0;
    }
    return narrow<F>(static_cast<double>(size) * scale, rounding);
}

// float to nearest even, on the bits of the float: the conversion that kernels live on.
OK_ALWAYS unsigned short half_bits(float x) {
    const unsigned bits = bit_cast<unsigned>(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return HalfFormat::nan;
    if (magnitude >= 0x47800000) return static_cast<unsigned short>(sign | HalfFormat::infinity);
    // Below 2^-14: adding 0.5 aligns the float's last bit with the smallest half, and rounds as the processor does.
    if (magnitude < 0x38800000) {
        const unsigned aligned = bit_cast<unsigned>(bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
        return static_cast<unsigned short>(sign | aligned);
    }
    return static_cast<unsigned short>(sign | (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13);
}
OK_ALWAYS unsigned short bfloat16_bits(float x) {
    const unsigned bits = bit_cast<unsigned>(x);
    if ((bits & 0x7fffffff) > 0x7f800000) return BFloat16Format::nan;
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
OK_ALWAYS float half_value(unsigned short bits) {
    const unsigned magnitude = static_cast<unsigned>(bits & 0x7fff) << 13;
    // The multiplication moves the exponent's bias and normalises subnormals; infinity and NaN get their exponent back.
    unsigned out = bit_cast<unsigned>(bit_cast<float>(magnitude) * 0x1p112f);
    if ((bits & HalfFormat::infinity) == HalfFormat::infinity) out = magnitude | 0x7f800000;
    return bit_cast<float>(out | static_cast<unsigned>(bits & 0x8000) << 16);
}
OK_ALWAYS float bfloat16_value(unsigned short bits) { return bit_cast<float>(static_cast<unsigned>(bits) << 16); }

// a*b + c for 16-bit operands: the product is exact in double, the sum is rounded to odd, so that the narrowing that
// follows is the only rounding seen (Boldo and Melquiond, "Emulation of a FMA", IEEE Trans. Computers 57(4), 2008).
OK_ALWAYS double fused(double a, double b, double c) {
    const double product = a * b, sum = product + c;
    const double part = sum - product, error = (product - (sum - part)) + (c - part);
    unsigned long long bits = bit_cast<unsigned long long>(sum);
    if (error == 0.0 || error != error || (bits & 1)) return sum;
    bits += (error > 0.0) == (sum > 0.0) ? 1 : -1;
    return bit_cast<double>(bits);
}

}  // namespace __ok

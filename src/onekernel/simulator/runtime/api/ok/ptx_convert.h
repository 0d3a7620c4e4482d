// cvt (PTX ISA, "Data Movement and Conversion Instructions: cvt").
#pragma once
#include "fp8_bits.h"
#include "ptx_arithmetic.h"

namespace __ok {
namespace ptx {

enum How { unrounded, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };

OK_ALWAYS Rounding rounding_of(How how) {
    return how == rz ? Rounding::toward_zero : how == rm ? Rounding::down : how == rp ? Rounding::up : Rounding::nearest_even;
}
template <class T>
OK_ALWAYS T whole(How how, T x) {
    return how == rni ? rint(x) : how == rzi ? trunc(x) : how == rmi ? floor(x) : how == rpi ? ceil(x) : x;
}
// To a float of 24 or 53 bits with a rounding that is not the nearest: by a step from the nearest.
OK_ALWAYS float to_float(How how, double x) {
    const float near = static_cast<float>(x);
    if (how == unrounded || how == rn || near == x || x != x) return near;
    const bool up = how == rp || (how == rz && x < 0), over = near > x;
    return up == over ? near : ::nextafterf(near, up ? HUGE_VALF : -HUGE_VALF);
}
template <class To, bool saturate, class From>
OK_ALWAYS To convert(How how, From from) {
    if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        if constexpr (!saturate) return static_cast<To>(from);
        const __int128 wide = from, low = std::is_signed_v<To> ? -(__int128(1) << (8 * sizeof(To) - 1)) : 0,
                       high = low + ((__int128(1) << (8 * sizeof(To))) - 1);
        return static_cast<To>(wide < low ? low : wide > high ? high : wide);
    } else if constexpr (std::is_integral_v<To>) {
        return saturating<To>(whole(how == unrounded ? rzi : how, number_of(from)));
    } else if constexpr (std::is_integral_v<From>) {
        if constexpr (is_narrow<To>) return To{std::is_same_v<To, Half> ? narrow_integer<HalfFormat>(from, rounding_of(how)) : narrow_integer<BFloat16Format>(from, rounding_of(how))};
        else if constexpr (sizeof(From) < 8 && std::is_same_v<To, float>) return to_float(how, static_cast<double>(from));
        else return static_cast<To>(from);
    } else {
        double value = number_of(from);
        if (how >= rni) value = whole(how, value);
        if constexpr (saturate) value = saturated(value);
        if constexpr (is_narrow<To>) return To{std::is_same_v<To, Half> ? narrow<HalfFormat>(value, rounding_of(how)) : narrow<BFloat16Format>(value, rounding_of(how))};
        else if constexpr (std::is_same_v<To, float>) return to_float(how, value);
        else return value;
    }
}
// cvt.f16x2.f32 d, a, b: a goes to the upper half.
template <class T>
OK_ALWAYS Pair<T> paired(How how, float high, float low, bool positive) {
    const Pair<T> pair{convert<T, false>(how, low), convert<T, false>(how, high)};
    return positive ? relu(pair) : pair;
}
// The 10 bits of a fraction that Tensor Cores read.
OK_ALWAYS uint32_t to_tf32(How how, float x) {
    const uint32_t word = bits(x);
    if ((word & 0x7f800000) == 0x7f800000) return word;
    if (how == rz) return word & ~0x1fffu;
    return (word + (how == rna ? 0x1000u : 0xfffu + (word >> 13 & 1))) & ~0x1fffu;
}
OK_ALWAYS uint16_t narrow8_e4m3(float high, float low, bool positive) {
    if (positive) high = relu(high), low = relu(low);
    return static_cast<uint16_t>(fp8_bits<E4M3>(high) << 8 | fp8_bits<E4M3>(low));
}
OK_ALWAYS uint16_t narrow8_e5m2(float high, float low, bool positive) {
    if (positive) high = relu(high), low = relu(low);
    return static_cast<uint16_t>(fp8_bits<E5M2>(high) << 8 | fp8_bits<E5M2>(low));
}
OK_ALWAYS Pair<Half> widen8_e4m3(uint16_t both) {
    return {narrowed<Half>(fp8_value<E4M3>(both & 0xff)), narrowed<Half>(fp8_value<E4M3>(both >> 8))};
}
OK_ALWAYS Pair<Half> widen8_e5m2(uint16_t both) {
    return {narrowed<Half>(fp8_value<E5M2>(both & 0xff)), narrowed<Half>(fp8_value<E5M2>(both >> 8))};
}

}  // namespace ptx
}  // namespace __ok

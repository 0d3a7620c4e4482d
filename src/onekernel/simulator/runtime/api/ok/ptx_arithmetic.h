// Arithmetic, logic, comparisons (PTX ISA 8.8, chapter "Instruction Set"). `.approx` results are the C library's: nearer to the
// true value than a GPU's.
#pragma once
#include <math.h>

#include "ptx_values.h"

namespace __ok {
namespace ptx {

template <class T>
constexpr bool is_pair = false;
template <class T>
constexpr bool is_pair<Pair<T>> = true;
template <class T>
constexpr bool is_narrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class T>
OK_ALWAYS T narrowed(double value) {
    if constexpr (std::is_same_v<T, Half>) return T{narrow<HalfFormat>(value)};
    else return T{narrow<BFloat16Format>(value)};
}

// Applies a function of floats to 16-bit numbers and pairs of them; of integers, and of floats themselves, directly.
template <class T, class F, class... Rest>
OK_ALWAYS T each(F function, T a, Rest... rest) {
    if constexpr (is_pair<T>) return T{each(function, a.low, rest.low...), each(function, a.high, rest.high...)};
    else if constexpr (is_narrow<T>) return narrowed<T>(function(static_cast<float>(a), static_cast<float>(rest)...));
    else return static_cast<T>(function(a, rest...));
}

// Signed sums wrap around.
template <class T, class F>
OK_ALWAYS T wrapping(F function, T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        typedef std::make_unsigned_t<T> U;
        return static_cast<T>(static_cast<U>(function(static_cast<U>(a), static_cast<U>(b))));
    } else {
        return each(function, a, b);
    }
}
template <class T>
OK_ALWAYS T op_add(T a, T b) {
    return wrapping([](auto x, auto y) { return x + y; }, a, b);
}
template <class T>
OK_ALWAYS T op_sub(T a, T b) {
    return wrapping([](auto x, auto y) { return x - y; }, a, b);
}
template <class T>
OK_ALWAYS T op_mul(T a, T b) {
    return each([](auto x, auto y) { return x * y; }, a, b);
}
template <class T>
OK_ALWAYS T op_fma(T a, T b, T c) {
    if constexpr (is_pair<T>) return T{op_fma(a.low, b.low, c.low), op_fma(a.high, b.high, c.high)};
    else if constexpr (is_narrow<T>) return narrowed<T>(fused(float(a), float(b), float(c)));
    else if constexpr (std::is_same_v<T, float>) return ::fmaf(a, b, c);
    else return ::fma(a, b, c);
}
#define OK_EACH_WAY(way, suffix)                                                      \
    OK_ALWAYS float rounded_add_##way(float a, float b) { return __fadd_##suffix(a, b); }   \
    OK_ALWAYS double rounded_add_##way(double a, double b) { return __dadd_##suffix(a, b); } \
    template <class T> OK_ALWAYS T op_add_##way(T a, T b) { return rounded_add_##way(a, b); } \
    template <class T> OK_ALWAYS T op_sub_##way(T a, T b) { return rounded_add_##way(a, -b); } \
    OK_ALWAYS float rounded_mul_##way(float a, float b) { return __fmul_##suffix(a, b); }   \
    OK_ALWAYS double rounded_mul_##way(double a, double b) { return __dmul_##suffix(a, b); } \
    template <class T> OK_ALWAYS T op_mul_##way(T a, T b) { return rounded_mul_##way(a, b); } \
    OK_ALWAYS float rounded_fma_##way(float a, float b, float c) { return __fmaf_##suffix(a, b, c); }  \
    OK_ALWAYS double rounded_fma_##way(double a, double b, double c) { return __fma_##suffix(a, b, c); } \
    template <class T> OK_ALWAYS T op_fma_##way(T a, T b, T c) { return rounded_fma_##way(a, b, c); } \
    OK_ALWAYS float rounded_div_##way(float a, float b) { return __fdiv_##suffix(a, b); }   \
    OK_ALWAYS double rounded_div_##way(double a, double b) { return __ddiv_##suffix(a, b); } \
    template <class T> OK_ALWAYS T op_div_##way(T a, T b) { return rounded_div_##way(a, b); } \
    template <class T> OK_ALWAYS T op_rcp_##way(T a) { return rounded_div_##way(T(1), a); } \
    OK_ALWAYS float rounded_sqrt_##way(float a) { return __fsqrt_##suffix(a); }             \
    OK_ALWAYS double rounded_sqrt_##way(double a) { return __dsqrt_##suffix(a); }           \
    template <class T> OK_ALWAYS T op_sqrt_##way(T a) { return rounded_sqrt_##way(a); }
OK_EACH_WAY(rz, rz)
OK_EACH_WAY(rp, ru)
OK_EACH_WAY(rm, rd)
#undef OK_EACH_WAY

// Of a number and a NaN the number, but for `.NaN`.
template <class T>
OK_ALWAYS T op_min(T a, T b) {
    if constexpr (std::is_integral_v<T>) return b < a ? b : a;
    else return each([](auto x, auto y) { return x != x ? y : y != y ? x : y < x || (x == y && signbit(y)) ? y : x; }, a, b);
}
template <class T>
OK_ALWAYS T op_max(T a, T b) {
    if constexpr (std::is_integral_v<T>) return a < b ? b : a;
    else return each([](auto x, auto y) { return x != x ? y : y != y ? x : x < y || (x == y && signbit(x)) ? y : x; }, a, b);
}
template <class T>
OK_ALWAYS T op_min_nan(T a, T b) {
    return each([](auto x, auto y) { return x != x ? x : y != y ? y : y < x ? y : x; }, a, b);
}
template <class T>
OK_ALWAYS T op_max_nan(T a, T b) {
    return each([](auto x, auto y) { return x != x ? x : y != y ? y : x < y ? y : x; }, a, b);
}
// A quotient by zero of integers is not defined; on GPUs all bits are set.
template <class T>
OK_ALWAYS T op_div(T a, T b) {
    if constexpr (std::is_integral_v<T>) return b == 0 ? T(-1) : b == T(-1) && std::is_signed_v<T> ? op_sub(T(0), a) : a / b;
    else return a / b;
}
template <class T>
OK_ALWAYS T op_rem(T a, T b) {
    return b == 0 ? a : b == T(-1) && std::is_signed_v<T> ? T(0) : a % b;
}
template <class T>
OK_ALWAYS T op_neg(T a) {
    if constexpr (std::is_integral_v<T>) return op_sub(T(0), a);
    else return each([](auto x) { return -x; }, a);
}
template <class T>
OK_ALWAYS T op_abs(T a) {
    if constexpr (std::is_integral_v<T>) return a < 0 ? op_neg(a) : a;
    else return each([](auto x) { return signbit(x) ? -x : x; }, a);
}
template <class T>
OK_ALWAYS T op_sad(T a, T b, T c) {
    return op_add(c, a < b ? op_sub(b, a) : op_sub(a, b));
}
#define OK_LOGIC(name, sign)                                       \
    template <class T>                                             \
    OK_ALWAYS T op_##name(T a, T b) { return static_cast<T>(a sign b); }
OK_LOGIC(and, &)
OK_LOGIC(or, |)
OK_LOGIC(xor, ^)
#undef OK_LOGIC
template <class T>
OK_ALWAYS T op_not(T a) {
    if constexpr (std::is_same_v<T, bool>) return !a;
    else return static_cast<T>(~a);
}
template <class T>
OK_ALWAYS T op_cnot(T a) {
    return a == 0;
}
template <class T>
OK_ALWAYS T op_brev(T a) {
    if constexpr (sizeof(T) == 8) return __brevll(a);
    else return __brev(a);
}
#define OK_FUNCTION(name, expression)                                        \
    template <class T>                                                       \
    OK_ALWAYS T op_##name(T a) { return each([](auto x) { return expression; }, a); }
OK_FUNCTION(sqrt, sqrt(x))
OK_FUNCTION(rsqrt, decltype(x)(1) / sqrt(x))
OK_FUNCTION(rcp, decltype(x)(1) / x)
OK_FUNCTION(ex2, exp2(x))
OK_FUNCTION(lg2, log2(x))
OK_FUNCTION(sin, sin(x))
OK_FUNCTION(cos, cos(x))
OK_FUNCTION(tanh, decltype(x)(::__tanhf(float(x))))
#undef OK_FUNCTION
// copysign.f32 d, a, b: the sign of a, the size of b.
template <class T>
OK_ALWAYS T op_copysign(T a, T b) {
    return std::is_same_v<T, float> ? T(::copysignf(b, a)) : T(::copysign(b, a));
}
OK_ALWAYS float flushed(float x) { return x > -0x1p-126f && x < 0x1p-126f ? ::copysignf(0.0f, x) : x; }
template <class T>
OK_ALWAYS T saturated(T a) {
    if constexpr (std::is_integral_v<T>) return a;
    else return each([](auto x) { return x > 0 ? x < 1 ? x : decltype(x)(1) : decltype(x)(0); }, a);
}
template <class T>
OK_ALWAYS T relu(T a) {
    return each([](auto x) { return x > 0 || x != x ? x : decltype(x)(0); }, a);
}

template <class T>
OK_ALWAYS T op_mul_lo(T a, T b) {
    if constexpr (sizeof(T) == 2) return static_cast<T>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    else return wrapping([](auto x, auto y) { return x * y; }, a, b);
}
template <class T>
OK_ALWAYS auto op_mul_wide(T a, T b) {
    if constexpr (sizeof(T) == 2) return std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>(a) * b;
    else return std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(a) * b;
}
template <class T>
OK_ALWAYS T op_mul_hi(T a, T b) {
    typedef std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128> Wide;
    return static_cast<T>((static_cast<Wide>(a) * b) >> (8 * sizeof(T)));
}
template <class T>
OK_ALWAYS T op_shl(T a, unsigned by) {
    return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(a << by);
}
template <class T>
OK_ALWAYS T op_shr(T a, unsigned by) {
    return by >= 8 * sizeof(T) ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> by);
}
OK_ALWAYS unsigned at_most(unsigned most, unsigned value) { return value < most ? value : most; }
OK_ALWAYS uint32_t op_shf_l(uint32_t low, uint32_t high, unsigned by) {
    return static_cast<uint32_t>(((uint64_t(high) << 32 | low) << by) >> 32);
}
OK_ALWAYS uint32_t op_shf_r(uint32_t low, uint32_t high, unsigned by) {
    return static_cast<uint32_t>((uint64_t(high) << 32 | low) >> by);
}
template <class T>
OK_ALWAYS uint32_t op_popc(T a) {
    return static_cast<uint32_t>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(a)));
}
template <class T>
OK_ALWAYS uint32_t op_clz(T a) {
    return a == 0 ? 8 * sizeof(T) : static_cast<uint32_t>(__builtin_clzll(static_cast<std::make_unsigned_t<T>>(a))) - (64 - 8 * sizeof(T));
}
template <class T>
OK_ALWAYS uint32_t op_bfind(T a) {
    const T magnitude = a < 0 ? static_cast<T>(~a) : a;
    return magnitude == 0 ? ~0u : 8 * static_cast<uint32_t>(sizeof(T)) - 1 - op_clz(magnitude);
}
template <class T>
OK_ALWAYS uint32_t op_bfind_shiftamt(T a) {
    const uint32_t found = op_bfind(a);
    return found == ~0u ? found : 8 * static_cast<uint32_t>(sizeof(T)) - 1 - found;
}
template <class T>
OK_ALWAYS T op_bfe(T a, unsigned begin, unsigned length) {
    constexpr unsigned width = 8 * sizeof(T);
    typedef std::make_unsigned_t<T> U;
    begin &= 0xff, length &= 0xff;
    const bool sign = std::is_signed_v<T> && length != 0 &&
                      (static_cast<U>(a) >> (begin + length - 1 < width ? begin + length - 1 : width - 1) & 1);
    U out = begin < width ? static_cast<U>(a) >> begin : 0;
    const unsigned real = begin >= width ? 0 : length < width - begin ? length : width - begin;
    const U mask = real >= width ? ~U(0) : (U(1) << real) - 1;
    return static_cast<T>(sign ? (out & mask) | ~mask : out & mask);
}
template <class T>
OK_ALWAYS T op_bfi(T a, T b, unsigned begin, unsigned length) {
    constexpr unsigned width = 8 * sizeof(T);
    begin &= 0xff, length &= 0xff;
    if (begin >= width || length == 0) return b;
    const T mask = static_cast<T>((length >= width ? ~T(0) : (T(1) << length) - 1) << begin);
    return static_cast<T>((b & ~mask) | ((a << begin) & mask));
}
OK_ALWAYS uint32_t op_prmt(uint32_t a, uint32_t b, uint32_t selector) {
    const uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t out = 0;
    for (int i = 0; i < 4; ++i) {
        const uint32_t pick = selector >> (4 * i) & 15, byte = static_cast<uint32_t>(bytes >> (8 * (pick & 7))) & 0xff;
        out |= (pick & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << (8 * i);
    }
    return out;
}
// The modes of prmt: what each of the selector's four values takes.
#define OK_PERMUTATION(name, a0, a1, a2, a3)                                              \
    OK_ALWAYS uint32_t op_prmt_##name(uint32_t a, uint32_t b, uint32_t selector) {        \
        constexpr uint32_t modes[4] = {a0, a1, a2, a3};                                   \
        return op_prmt(a, b, modes[selector & 3]);                                        \
    }
OK_PERMUTATION(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
OK_PERMUTATION(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
OK_PERMUTATION(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
OK_PERMUTATION(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
OK_PERMUTATION(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
OK_PERMUTATION(rc16, 0x1010, 0x3232, 0x1010, 0x3232)
#undef OK_PERMUTATION
OK_ALWAYS uint32_t op_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t out = 0;
    for (int i = 0; i < 8; ++i)
        if (table >> i & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return out;
}
template <class T>
OK_ALWAYS auto byte_of(uint32_t word, int k) {
    return static_cast<std::conditional_t<std::is_signed_v<T>, int8_t, uint8_t>>(word >> (8 * k));
}
template <class T>
OK_ALWAYS auto half_of(uint32_t word, int k) {
    return static_cast<std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>>(word >> (16 * k));
}
template <class A, class B, class Sum>
OK_ALWAYS Sum op_dp4a(A a, B b, Sum c) {
    for (int i = 0; i < 4; ++i) c = op_add(c, Sum(int(byte_of<A>(a, i)) * int(byte_of<B>(b, i))));
    return c;
}
OK_ALWAYS uint32_t op_distances4(uint32_t a, uint32_t b, uint32_t c) {
    for (int i = 0; i < 4; ++i) c += static_cast<uint32_t>(std::abs(int(byte_of<uint32_t>(a, i)) - int(byte_of<uint32_t>(b, i))));
    return c;
}
template <class A, class B, class Sum>
OK_ALWAYS Sum op_dp2a_lo(A a, B b, Sum c) {
    for (int i = 0; i < 2; ++i) c = op_add(c, Sum(int(half_of<A>(a, i)) * int(byte_of<B>(b, i))));
    return c;
}
template <class A, class B, class Sum>
OK_ALWAYS Sum op_dp2a_hi(A a, B b, Sum c) {
    for (int i = 0; i < 2; ++i) c = op_add(c, Sum(int(half_of<A>(a, i)) * int(byte_of<B>(b, i + 2))));
    return c;
}

template <class T>
OK_ALWAYS auto number_of(T value) {
    if constexpr (is_narrow<T>) return static_cast<float>(value);
    else return value;
}
#define OK_COMPARED(name, expression)                                           \
    template <class T>                                                          \
    OK_ALWAYS bool compare_##name(T left, T right) {                            \
        const auto a = number_of(left), b = number_of(right);                   \
        return expression;                                                      \
    }
OK_COMPARED(eq, a == b)
OK_COMPARED(ne, a != b && a == a && b == b)
OK_COMPARED(lt, a < b)
OK_COMPARED(le, a <= b)
OK_COMPARED(gt, a > b)
OK_COMPARED(ge, a >= b)
OK_COMPARED(lo, a < b)
OK_COMPARED(ls, a <= b)
OK_COMPARED(hi, a > b)
OK_COMPARED(hs, a >= b)
OK_COMPARED(equ, a == b || a != a || b != b)
OK_COMPARED(neu, !(a == b))
OK_COMPARED(ltu, !(a >= b))
OK_COMPARED(leu, !(a > b))
OK_COMPARED(gtu, !(a <= b))
OK_COMPARED(geu, !(a < b))
OK_COMPARED(num, a == a && b == b)
OK_COMPARED(nan, a != a || b != b)
#undef OK_COMPARED

}  // namespace ptx
}  // namespace __ok

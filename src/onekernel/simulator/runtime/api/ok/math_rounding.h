// Arithmetic and conversions with a chosen rounding: __fadd_rn, __fma_rz, __float2int_rd, __double2float_ru, ...
// CUDA Math API, "Single/Double Precision Intrinsics" and "Type Casting Intrinsics".
#pragma once
#include <fenv.h>
#include <math.h>

#include "bits.h"

namespace __ok {

// Runs `operation` with the processor's rounding mode set; its operands must be volatile, so that nothing moves out of
// it.
template <class Operation>
OK_ALWAYS auto in_mode(int mode, Operation operation) {
    const int before = fegetround();
    fesetround(mode);
    volatile auto result = operation();
    fesetround(before);
    return static_cast<decltype(operation())>(result);
}

// A value whose origin the compiler does not see.
template <class T>
OK_ALWAYS auto alone(T value) {
#if defined(__x86_64__)
    __asm__("" : "+x"(value));
#elif defined(__aarch64__)
    __asm__("" : "+w"(value));
#else
    __asm__("" : "+m"(value));
#endif
    return value;
}

// Conversion of a floating number that is integral to an integer type, as PTX's cvt: out of range saturates; NaN gives
// 0, or the top bit alone where source or destination has 64 bits (PTX ISA, cvt).
template <class To, class From>
OK_ALWAYS auto saturating(From value) {
    constexpr bool is_signed = static_cast<To>(-1) < static_cast<To>(0);
    constexpr int bits = 8 * sizeof(To);
    constexpr To top_bit = static_cast<To>(1ull << (bits - 1));
    constexpr To lowest = is_signed ? top_bit : 0;
    constexpr To highest = static_cast<To>(is_signed ? ~top_bit : ~static_cast<To>(0));
    constexpr From limit = static_cast<From>(is_signed ? 1ull << (bits - 1) : 1ull << (bits - 2)) * (is_signed ? 1 : 4);
    if (value != value) return sizeof(To) == 8 || sizeof(From) == 8 ? top_bit : To(0);
    if (value >= limit) return highest;
    if (value <= (is_signed ? -limit : From(0))) return lowest;
    return static_cast<To>(value);
}

}  // namespace __ok

#define OK_ROUNDED(letter, op, type, suffix, mode)                    \
    OK_ALWAYS type __##letter##add_##suffix(type x, type y) {         \
        volatile type a = x, b = y;                                   \
        return __ok::in_mode(mode, [&] { return a + b; });              \
    }                                                                 \
    OK_ALWAYS type __##letter##sub_##suffix(type x, type y) {         \
        volatile type a = x, b = y;                                   \
        return __ok::in_mode(mode, [&] { return a - b; });              \
    }                                                                 \
    OK_ALWAYS type __##letter##mul_##suffix(type x, type y) {         \
        volatile type a = x, b = y;                                   \
        return __ok::in_mode(mode, [&] { return a * b; });              \
    }                                                                 \
    OK_ALWAYS type __##letter##div_##suffix(type x, type y) {         \
        volatile type a = x, b = y;                                   \
        return __ok::in_mode(mode, [&] { return a / b; });              \
    }                                                                 \
    OK_ALWAYS type __##letter##rcp_##suffix(type x) {                 \
        volatile type a = x, one = 1;                                 \
        return __ok::in_mode(mode, [&] { return one / a; });            \
    }                                                                 \
    OK_ALWAYS type __##letter##sqrt_##suffix(type x) {                \
        volatile type a = x;                                          \
        return __ok::in_mode(mode, [&] { return ::sqrt##op(a); });      \
    }                                                                 \
    OK_ALWAYS type __fma##op##_##suffix(type x, type y, type z) {     \
        volatile type a = x, b = y, c = z;                            \
        return __ok::in_mode(mode, [&] { return ::fma##op(a, b, c); }); \
    }
// The compiler fuses products into sums, as nvcc does, but never these: neither a product that comes in nor the one made here.
#define OK_NEAREST(letter, op, type)                                     \
    OK_ALWAYS type __##letter##add_rn(type x, type y) { return __ok::alone(x) + __ok::alone(y); } \
    OK_ALWAYS type __##letter##sub_rn(type x, type y) { return __ok::alone(x) - __ok::alone(y); } \
    OK_ALWAYS type __##letter##mul_rn(type x, type y) { return __ok::alone(x * y); } \
    OK_ALWAYS type __##letter##div_rn(type x, type y) { return x / y; }  \
    OK_ALWAYS type __##letter##rcp_rn(type x) { return type(1) / x; }    \
    OK_ALWAYS type __##letter##sqrt_rn(type x) { return ::sqrt##op(x); } \
    OK_ALWAYS type __fma##op##_rn(type x, type y, type z) { return ::fma##op(x, y, z); }
#define OK_ALL_ROUNDINGS(letter, op, type)          \
    OK_NEAREST(letter, op, type)                    \
    OK_ROUNDED(letter, op, type, rz, FE_TOWARDZERO) \
    OK_ROUNDED(letter, op, type, ru, FE_UPWARD)     \
    OK_ROUNDED(letter, op, type, rd, FE_DOWNWARD)
OK_ALL_ROUNDINGS(f, f, float)
OK_ALL_ROUNDINGS(d, , double)
#undef OK_ALL_ROUNDINGS
#undef OK_NEAREST
#undef OK_ROUNDED

#define OK_TO_INTEGER(from, op, name, type)                                                        \
    OK_ALWAYS type __##from##2##name##_rn(from x) { return __ok::saturating<type>(::rint##op(x)); }  \
    OK_ALWAYS type __##from##2##name##_rz(from x) { return __ok::saturating<type>(::trunc##op(x)); } \
    OK_ALWAYS type __##from##2##name##_ru(from x) { return __ok::saturating<type>(::ceil##op(x)); }  \
    OK_ALWAYS type __##from##2##name##_rd(from x) { return __ok::saturating<type>(::floor##op(x)); }
#define OK_FROM_INTEGER(name, type, to)                                      \
    OK_ALWAYS to __##name##2##to##_rn(type x) { return static_cast<to>(x); } \
    OK_DIRECTED_CAST(name, type, to, rz, FE_TOWARDZERO)                      \
    OK_DIRECTED_CAST(name, type, to, ru, FE_UPWARD)                          \
    OK_DIRECTED_CAST(name, type, to, rd, FE_DOWNWARD)
#define OK_DIRECTED_CAST(name, type, to, suffix, mode)                \
    OK_ALWAYS to __##name##2##to##_##suffix(type x) {                 \
        volatile type a = x;                                          \
        return __ok::in_mode(mode, [&] { return static_cast<to>(a); }); \
    }
#define OK_CASTS(name, type)            \
    OK_TO_INTEGER(float, f, name, type) \
    OK_TO_INTEGER(double, , name, type) \
    OK_FROM_INTEGER(name, type, float)  \
    OK_FROM_INTEGER(name, type, double)
OK_CASTS(int, int)
OK_CASTS(uint, unsigned int)
OK_CASTS(ll, long long)
OK_CASTS(ull, unsigned long long)
OK_FROM_INTEGER(double, double, float)
#undef OK_CASTS
#undef OK_DIRECTED_CAST
#undef OK_FROM_INTEGER
#undef OK_TO_INTEGER

OK_ALWAYS int __float_as_int(float x) { return __ok::bit_cast<int>(x); }
OK_ALWAYS unsigned __float_as_uint(float x) { return __ok::bit_cast<unsigned>(x); }
OK_ALWAYS float __int_as_float(int x) { return __ok::bit_cast<float>(x); }
OK_ALWAYS float __uint_as_float(unsigned x) { return __ok::bit_cast<float>(x); }
OK_ALWAYS long long __double_as_longlong(double x) { return __ok::bit_cast<long long>(x); }
OK_ALWAYS double __longlong_as_double(long long x) { return __ok::bit_cast<double>(x); }
OK_ALWAYS int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
OK_ALWAYS int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
OK_ALWAYS double __hiloint2double(int hi, int lo) {
    return __longlong_as_double(static_cast<long long>(
        static_cast<unsigned long long>(static_cast<unsigned>(hi)) << 32 | static_cast<unsigned>(lo)));
}

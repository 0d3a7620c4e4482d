// CUDA's float and double functions that the C library lacks, declares without defining (glibc's __expf), or defines
// loosely (fmaxf of zeros). The rest (expf, tanhf, erff, fmaf, ...) is the C library's, well within the bounds of the
// CUDA C++ Programming Guide, "Mathematical Functions". A name that <math.h> may declare is defined as the C function
// declared.
#pragma once
#include <math.h>

#include "math_rounding.h"

#define OK_C extern "C" inline __attribute__((always_inline))

namespace __ok {

// fmin and fmax of PTX: NaN loses against a number, and -0 is below +0.
template <class T, class Bits>
OK_ALWAYS auto smaller(T a, T b) {
    if (a == b) return bit_cast<T>(bit_cast<Bits>(a) | bit_cast<Bits>(b));
    return a < b || b != b ? a : b;
}
template <class T, class Bits>
OK_ALWAYS auto larger(T a, T b) {
    if (a == b) return bit_cast<T>(bit_cast<Bits>(a) & bit_cast<Bits>(b));
    return a > b || b != b ? a : b;
}

constexpr long double pi = 3.141592653589793238462643383279502884L;

// sin(pi x) and cos(pi x): the reduction is exact, so that integers and halves give exact results.
template <class T>
OK_ALWAYS auto sine_of_pi_times(T x) {
    const T r = ::remainder(x, T(2));
    const T a = r > T(0.5) ? T(1) - r : r < T(-0.5) ? T(-1) - r : r;
    if (a == T(0)) return ::copysign(T(0), x);
    return a != a ? a : static_cast<T>(::sinl(pi * a));
}
template <class T>
OK_ALWAYS auto cosine_of_pi_times(T x) {
    const T r = ::fabs(::remainder(x, T(2)));
    return r == T(0.5) ? T(0) : r != r ? r : static_cast<T>(::cosl(pi * r));
}

// The x with erfc(x) = q, 0 < q < 2: Halley's iteration from a rational guess (Abramowitz and Stegun, 26.2.22), in long
// double.
inline long double inverse_erfc(long double q) {
    if (q > 1) return -inverse_erfc(2 - q);
    const long double t = sqrtl(-2 * logl(q / 2));
    long double x = -0.70711L * ((2.30753L + t * 0.27061L) / (1 + t * (0.99229L + t * 0.04481L)) - t);
    for (int i = 0; i < 4; ++i) {
        const long double error = erfcl(x) - q;
        x += error / (1.128379167095512573896158903121545172L * expl(-x * x) - x * error);
    }
    return x;
}

}  // namespace __ok

// Fast intrinsics. A GPU computes them with a few bits less; these are exact to the C library.
OK_C float __expf(float x) noexcept { return ::expf(x); }
OK_C float __exp10f(float x) noexcept { return ::powf(10.0f, x); }
OK_C float __logf(float x) noexcept { return ::logf(x); }
OK_C float __log2f(float x) noexcept { return ::log2f(x); }
OK_C float __log10f(float x) noexcept { return ::log10f(x); }
OK_C float __sinf(float x) noexcept { return ::sinf(x); }
OK_C float __cosf(float x) noexcept { return ::cosf(x); }
OK_C float __tanf(float x) noexcept { return ::tanf(x); }
// The hardware's own, of 11 bits alone: right kernels need more, and it must show here too (CUDA C++ Programming Guide).
OK_C float __tanhf(float x) noexcept {
    const float t = ::tanhf(x);
    unsigned bits;
    __builtin_memcpy(&bits, &t, sizeof bits);
    bits = (bits + 0x1000u) & ~0x1fffu;
    float rounded;
    __builtin_memcpy(&rounded, &bits, sizeof bits);
    return t == t ? rounded : t;
}
OK_C void __sincosf(float x, float* sine, float* cosine) noexcept {
    *sine = ::sinf(x);
    *cosine = ::cosf(x);
}
// By its definition in CUDA, so that a negative base gives NaN here too.
OK_C float __powf(float x, float y) noexcept { return ::exp2f(y * ::log2f(x)); }
// CUDA: for 2^126 < |y| < 2^128 the quotient is flushed to 0 (NaN where x is infinite).
OK_ALWAYS float __fdividef(float x, float y) {
    const float size = ::fabsf(y);
    return size > 0x1p126f && size < __builtin_inff() ? x * 0.0f : x / y;
}
OK_ALWAYS float fdividef(float x, float y) { return x / y; }
OK_ALWAYS float __frsqrt_rn(float x) { return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x))); }
OK_ALWAYS float __saturatef(float x) { return x > 0.0f ? x < 1.0f ? x : 1.0f : 0.0f; }

OK_C float fminf(float x, float y) noexcept { return __ok::smaller<float, unsigned>(x, y); }
OK_C float fmaxf(float x, float y) noexcept { return __ok::larger<float, unsigned>(x, y); }
OK_C double fmin(double x, double y) noexcept { return __ok::smaller<double, unsigned long long>(x, y); }
OK_C double fmax(double x, double y) noexcept { return __ok::larger<double, unsigned long long>(x, y); }
OK_ALWAYS float min(float x, float y) { return __ok::smaller<float, unsigned>(x, y); }
OK_ALWAYS float max(float x, float y) { return __ok::larger<float, unsigned>(x, y); }
OK_ALWAYS double min(double x, double y) { return __ok::smaller<double, unsigned long long>(x, y); }
OK_ALWAYS double max(double x, double y) { return __ok::larger<double, unsigned long long>(x, y); }
OK_ALWAYS double min(float x, double y) { return __ok::smaller<double, unsigned long long>(x, y); }
OK_ALWAYS double max(float x, double y) { return __ok::larger<double, unsigned long long>(x, y); }
OK_ALWAYS double min(double x, float y) { return __ok::smaller<double, unsigned long long>(x, y); }
OK_ALWAYS double max(double x, float y) { return __ok::larger<double, unsigned long long>(x, y); }

OK_C double rsqrt(double x) noexcept { return static_cast<double>(1.0L / ::sqrtl(x)); }
OK_C float rsqrtf(float x) noexcept { return __frsqrt_rn(x); }
OK_C double rcbrt(double x) noexcept { return static_cast<double>(1.0L / ::cbrtl(x)); }
OK_C float rcbrtf(float x) noexcept { return static_cast<float>(1.0 / ::cbrt(static_cast<double>(x))); }
OK_C double sinpi(double x) noexcept { return __ok::sine_of_pi_times(x); }
OK_C float sinpif(float x) noexcept { return __ok::sine_of_pi_times(x); }
OK_C double cospi(double x) noexcept { return __ok::cosine_of_pi_times(x); }
OK_C float cospif(float x) noexcept { return __ok::cosine_of_pi_times(x); }
OK_C double normcdf(double x) noexcept {
    return static_cast<double>(0.5L * ::erfcl(-x * 0.707106781186547524400844362104849039L));
}
OK_C float normcdff(float x) noexcept { return static_cast<float>(0.5 * ::erfc(-x * 0.70710678118654752)); }
inline double erfcinv(double q) {
    if (!(q > 0 && q < 2)) return q == 0 ? __builtin_inf() : q == 2 ? -__builtin_inf() : __builtin_nan("");
    return static_cast<double>(__ok::inverse_erfc(q));
}
inline double erfinv(double y) {
    if (!(y > -1 && y < 1)) return y == 1 || y == -1 ? y * __builtin_inf() : __builtin_nan("");
    if (fabs(y) < 0.01) {  // by its series at 0, as 1 - y would lose y's last bits
        const double z = y * 0.88622692545275801365, s = z * z;
        return z + z * s * (1.0 / 3 + s * (7.0 / 30 + s * (127.0 / 630 + s * (4369.0 / 22680))));
    }
    return static_cast<double>(y < 0 ? -__ok::inverse_erfc(1 + static_cast<long double>(y))
                                     : __ok::inverse_erfc(1 - static_cast<long double>(y)));
}
inline double normcdfinv(double p) {
    if (!(p > 0 && p < 1)) return p == 0 ? -__builtin_inf() : p == 1 ? __builtin_inf() : __builtin_nan("");
    if (p > 0.25 && p < 0.75) return 1.4142135623730951 * erfinv(2 * p - 1);
    return static_cast<double>(-1.414213562373095048801688724209698079L *
                               __ok::inverse_erfc(2 * static_cast<long double>(p)));
}
inline float erfcinvf(float q) { return static_cast<float>(erfcinv(q)); }
inline float erfinvf(float y) { return static_cast<float>(erfinv(y)); }
inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(p)); }
OK_ALWAYS double norm4d(double a, double b, double c, double d) { return ::hypot(::hypot(a, b), ::hypot(c, d)); }
OK_ALWAYS float norm4df(float a, float b, float c, float d) { return static_cast<float>(norm4d(a, b, c, d)); }
OK_ALWAYS float rnorm4df(float a, float b, float c, float d) { return static_cast<float>(1.0 / norm4d(a, b, c, d)); }
OK_ALWAYS double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
OK_ALWAYS float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
OK_ALWAYS float rnorm3df(float a, float b, float c) { return static_cast<float>(1.0 / norm3d(a, b, c)); }
OK_ALWAYS double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
OK_ALWAYS double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
inline double norm(int dimensions, const double* v) {
    double length = 0;
    for (int i = 0; i < dimensions; ++i) length = ::hypot(length, v[i]);
    return length;
}
inline float normf(int dimensions, const float* v) {
    double length = 0;
    for (int i = 0; i < dimensions; ++i) length = ::hypot(length, static_cast<double>(v[i]));
    return static_cast<float>(length);
}
inline double rnorm(int dimensions, const double* v) { return 1.0 / norm(dimensions, v); }
inline float rnormf(int dimensions, const float* v) { return 1.0f / normf(dimensions, v); }
OK_ALWAYS double rhypot(double x, double y) { return static_cast<double>(1.0L / ::hypotl(x, y)); }
OK_ALWAYS float rhypotf(float x, float y) { return static_cast<float>(1.0 / ::hypot(static_cast<double>(x), y)); }
OK_ALWAYS void sincospif(float x, float* sine, float* cosine) {
    *sine = ::sinpif(x);
    *cosine = ::cospif(x);
}
OK_ALWAYS void sincospi(double x, double* sine, double* cosine) {
    *sine = ::sinpi(x);
    *cosine = ::cospi(x);
}

// The float overloads of the double functions above; <math.h> has those of the C library.
OK_ALWAYS float rsqrt(float x) { return ::rsqrtf(x); }
OK_ALWAYS float rcbrt(float x) { return ::rcbrtf(x); }
OK_ALWAYS float sinpi(float x) { return ::sinpif(x); }
OK_ALWAYS float cospi(float x) { return ::cospif(x); }
OK_ALWAYS float normcdf(float x) { return ::normcdff(x); }
OK_ALWAYS float exp10(float x) { return ::exp10f(x); }
OK_ALWAYS float fdivide(float x, float y) { return x / y; }
OK_ALWAYS double fdivide(double x, double y) { return x / y; }
OK_ALWAYS void sincos(float x, float* sine, float* cosine) {
    *sine = ::sinf(x);
    *cosine = ::cosf(x);
}

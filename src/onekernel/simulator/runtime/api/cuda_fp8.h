// The 8-bit floating types E4M3 and E5M2, their pairs and fours, and their conversions (CUDA Math API, "FP8 Intrinsics"; OCP 8-bit
// Floating Point Specification). They store numbers: arithmetic is done in the types that they are converted to.
#pragma once
#include <limits>
#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "ok/fp8_bits.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace __ok {

// A NaN that comes through a float loses its sign.
OK_ALWAYS unsigned char fp8_of(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {
    const bool saturate = saturation == __NV_SATFINITE;
    if (x != x) return 0x7f;
    return static_cast<unsigned char>(format == __NV_E4M3 ? fp8_bits<E4M3>(x, saturate) : fp8_bits<E5M2>(x, saturate));
}
OK_ALWAYS float fp8_as_float(unsigned char bits, __nv_fp8_interpretation_t format) {
    return format == __NV_E4M3 ? fp8_value<E4M3>(bits) : fp8_value<E5M2>(bits);
}
// Toward zero, within what the type holds; NaN is 0, and of 64-bit types the value with the top bit alone.
template <class Integer>
OK_ALWAYS Integer fp8_integer(float x) {
    using Limits = ::std::numeric_limits<Integer>;
    if (x != x) return sizeof(Integer) == 8 ? static_cast<Integer>(1ull << 63) : Integer(0);
    if (x >= static_cast<float>(Limits::max())) return Limits::max();
    if (x <= static_cast<float>(Limits::lowest())) return Limits::lowest();
    return static_cast<Integer>(x);
}

}  // namespace __ok

OK_ALWAYS __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {
    return __ok::fp8_of(x, saturation, format);
}
OK_ALWAYS __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {
    return __ok::fp8_of(x, saturation, format);
}
OK_ALWAYS __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {
    return __ok::fp8_of(__ok::half_value(x.x), saturation, format);
}
OK_ALWAYS __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t format) {
    return __ok::fp8_of(__ok::bfloat16_value(x.x), saturation, format);
}
OK_ALWAYS __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
    return __half(__ok::fp8_as_float(x, format));
}
// The first of a pair lies in the lower byte.
#define OK_PAIR(name, pair, one, first, second)                                                                          \
    OK_ALWAYS __nv_fp8x2_storage_t name(pair v, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {        \
        const unsigned low = one(first, saturation, format), high = one(second, saturation, format);                     \
        return static_cast<__nv_fp8x2_storage_t>(high << 8 | low);                                                       \
    }
OK_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, v.x, v.y)
OK_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, v.x, v.y)
OK_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{v.x}, __half_raw{v.y})
OK_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef OK_PAIR
OK_ALWAYS __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format) {
    return {__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x), format).x,
            __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x >> 8), format).x};
}

#define OK_FP8(name, pair, four, format)                                                                                  \
    struct name {                                                                                                         \
        __nv_fp8_storage_t __x;                                                                                           \
        name() = default;                                                                                                 \
        OK_ALWAYS_MEMBER explicit name(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, format)) {}              \
        OK_ALWAYS_MEMBER explicit name(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format)) {}                \
        OK_ALWAYS_MEMBER explicit name(__half x) : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, format)) {}             \
        OK_ALWAYS_MEMBER explicit name(__nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, format)) {}  \
        template <class Integer, class = ::std::enable_if_t<::std::is_integral_v<Integer>>>                               \
        OK_ALWAYS_MEMBER explicit name(Integer x) : name(static_cast<float>(x)) {}                                        \
        OK_ALWAYS_MEMBER explicit operator float() const { return __ok::fp8_as_float(__x, format); }                      \
        OK_ALWAYS_MEMBER explicit operator double() const { return __ok::fp8_as_float(__x, format); }                     \
        OK_ALWAYS_MEMBER explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, format); }                \
        OK_ALWAYS_MEMBER explicit operator __nv_bfloat16() const { return __ok::fp8_as_float(__x, format); }              \
        OK_ALWAYS_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }                                     \
        template <class Integer, class = ::std::enable_if_t<::std::is_integral_v<Integer>>>                               \
        OK_ALWAYS_MEMBER explicit operator Integer() const {                                                              \
            return __ok::fp8_integer<Integer>(__ok::fp8_as_float(__x, format));                                           \
        }                                                                                                                 \
    };                                                                                                                    \
    struct alignas(2) pair {                                                                                              \
        __nv_fp8x2_storage_t __x;                                                                                         \
        pair() = default;                                                                                                 \
        OK_ALWAYS_MEMBER explicit pair(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, format)) {}          \
        OK_ALWAYS_MEMBER explicit pair(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, format)) {}            \
        OK_ALWAYS_MEMBER explicit pair(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, format)) {}         \
        OK_ALWAYS_MEMBER explicit pair(__nv_bfloat162 v)                                                                  \
            : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, format)) {}                                           \
        OK_ALWAYS_MEMBER explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, format); }            \
        OK_ALWAYS_MEMBER explicit operator float2() const {                                                               \
            return make_float2(__ok::fp8_as_float(static_cast<unsigned char>(__x), format),                               \
                               __ok::fp8_as_float(static_cast<unsigned char>(__x >> 8), format));                         \
        }                                                                                                                 \
    };                                                                                                                    \
    struct alignas(4) four {                                                                                              \
        __nv_fp8x4_storage_t __x;                                                                                         \
        four() = default;                                                                                                 \
        OK_ALWAYS_MEMBER explicit four(pair low, pair high) : __x(static_cast<unsigned>(high.__x) << 16 | low.__x) {}     \
        OK_ALWAYS_MEMBER explicit four(float4 v) : four(pair(make_float2(v.x, v.y)), pair(make_float2(v.z, v.w))) {}      \
        OK_ALWAYS_MEMBER explicit four(double4 v) : four(pair(make_double2(v.x, v.y)), pair(make_double2(v.z, v.w))) {}   \
        OK_ALWAYS_MEMBER explicit four(__half2 low, __half2 high) : four(pair(low), pair(high)) {}                        \
        OK_ALWAYS_MEMBER explicit four(__nv_bfloat162 low, __nv_bfloat162 high) : four(pair(low), pair(high)) {}          \
        OK_ALWAYS_MEMBER explicit operator float4() const {                                                               \
            pair low, high;                                                                                               \
            low.__x = static_cast<__nv_fp8x2_storage_t>(__x);                                                             \
            high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);                                                      \
            const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);                                     \
            return make_float4(a.x, a.y, b.x, b.y);                                                                       \
        }                                                                                                                 \
    };
OK_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
OK_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef OK_FP8

// make_float4 and its kin: one constructor function for each vector type.
#pragma once
#include "vector_types.h"

#define OK_MAKE_VECTOR(name, type)                                                                       \
    static inline constexpr name##1 make_##name##1(type x) { return name##1 {x}; }                       \
    static inline constexpr name##2 make_##name##2(type x, type y) { return name##2 {x, y}; }            \
    static inline constexpr name##3 make_##name##3(type x, type y, type z) { return name##3 {x, y, z}; } \
    static inline constexpr name##4 make_##name##4(type x, type y, type z, type w) { return name##4 {x, y, z, w}; }

OK_MAKE_VECTOR(char, signed char)
OK_MAKE_VECTOR(uchar, unsigned char)
OK_MAKE_VECTOR(short, short)
OK_MAKE_VECTOR(ushort, unsigned short)
OK_MAKE_VECTOR(int, int)
OK_MAKE_VECTOR(uint, unsigned int)
OK_MAKE_VECTOR(long, long)
OK_MAKE_VECTOR(ulong, unsigned long)
OK_MAKE_VECTOR(longlong, long long)
OK_MAKE_VECTOR(ulonglong, unsigned long long)
OK_MAKE_VECTOR(float, float)
OK_MAKE_VECTOR(double, double)
#undef OK_MAKE_VECTOR

#define OK_MAKE_WIDE_VECTOR(name, type) \
    static inline constexpr name make_##name(type x, type y, type z, type w) { return name{x, y, z, w}; }
OK_MAKE_WIDE_VECTOR(double4_16a, double)
OK_MAKE_WIDE_VECTOR(double4_32a, double)
OK_MAKE_WIDE_VECTOR(longlong4_16a, long long)
OK_MAKE_WIDE_VECTOR(longlong4_32a, long long)
OK_MAKE_WIDE_VECTOR(ulonglong4_16a, unsigned long long)
OK_MAKE_WIDE_VECTOR(ulonglong4_32a, unsigned long long)
OK_MAKE_WIDE_VECTOR(long4_16a, long)
OK_MAKE_WIDE_VECTOR(long4_32a, long)
OK_MAKE_WIDE_VECTOR(ulong4_16a, unsigned long)
OK_MAKE_WIDE_VECTOR(ulong4_32a, unsigned long)
#undef OK_MAKE_WIDE_VECTOR

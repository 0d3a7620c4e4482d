// CUDA's built-in vector types (dim3 and uint3 are ok/runtime.h's): sizes and alignments of the CUDA C++ Programming Guide,
// "Built-in Vector Types". One assignment is one access of the whole vector.
#pragma once
#include "ok/core.h"
#include "ok/bits.h"

// Copies are spelled out, as nvcc makes one access of each: clang takes a plain aggregate apart before it instruments; g++
// stores float4{a, b, c, d} part by part, and does not instrument what it passes to a function by value. But: a union of
// such types cannot be copied; a file that does so is compiled with plain vectors.
#ifndef ONEKERNEL_PLAIN_VECTORS
namespace __ok {
// The first value of a list that has no other: no number becomes a vector without braces.
template <class T>
struct Alone {
    T value;
    template <class U, class = std::enable_if_t<std::is_convertible_v<U, T>>>
    constexpr Alone(U value) : value(value) {}
};
}  // namespace __ok
#define OK_WHOLE_COPIES(name)                                                                      \
    name() = default;                                                                              \
    OK_ALWAYS_MEMBER name(const name& from) { __ok::copy_whole<sizeof(name)>(this, &from); }       \
    OK_ALWAYS_MEMBER name& operator=(const name& from) {                                           \
        __ok::copy_whole<sizeof(name)>(this, &from);                                               \
        return *this;                                                                              \
    }
#define OK_WHOLE2(name, type)                                 \
    OK_WHOLE_COPIES(name)                                     \
    constexpr name(__ok::Alone<type> x) : x(x.value), y(0) {} \
    constexpr name(type x, type y) : x(x), y(y) {}
#define OK_WHOLE4(name, type)                                             \
    OK_WHOLE_COPIES(name)                                                 \
    constexpr name(__ok::Alone<type> x) : x(x.value), y(0), z(0), w(0) {} \
    constexpr name(type x, type y, type z = 0, type w = 0) : x(x), y(y), z(z), w(w) {}
#else
#define OK_WHOLE2(name, type)
#define OK_WHOLE4(name, type)
#endif

#define OK_VECTOR_TYPES(name, type, align2, align4)   \
    OK_VECTOR_TYPES_1_2_4(name, type, align2, align4) \
    struct name##3 { type x, y, z; };
#define OK_VECTOR_TYPES_1_2_4(name, type, align2, align4) \
    struct name##1 { type x; };                           \
    struct alignas(align2) name##2 {                      \
        type x, y;                                        \
        OK_WHOLE2(name##2, type)                          \
    };                                                    \
    struct alignas(align4) name##4 {                      \
        type x, y, z, w;                                  \
        OK_WHOLE4(name##4, type)                          \
    };

OK_VECTOR_TYPES(char, signed char, 2, 4)
OK_VECTOR_TYPES(uchar, unsigned char, 2, 4)
OK_VECTOR_TYPES(short, short, 4, 8)
OK_VECTOR_TYPES(ushort, unsigned short, 4, 8)
OK_VECTOR_TYPES(int, int, 8, 16)
OK_VECTOR_TYPES_1_2_4(uint, unsigned int, 8, 16)
OK_VECTOR_TYPES(long, long, 2 * sizeof(long), 16)
OK_VECTOR_TYPES(ulong, unsigned long, 2 * sizeof(long), 16)
OK_VECTOR_TYPES(longlong, long long, 16, 16)
OK_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
OK_VECTOR_TYPES(float, float, 8, 16)
OK_VECTOR_TYPES(double, double, 16, 16)
#undef OK_VECTOR_TYPES
#undef OK_VECTOR_TYPES_1_2_4

// CUDA 13 names the alignment of the 32-byte vectors.
#define OK_WIDE_VECTOR(name, type)  \
    struct alignas(16) name##_16a { \
        type x, y, z, w;            \
        OK_WHOLE4(name##_16a, type) \
    };                              \
    struct alignas(32) name##_32a { \
        type x, y, z, w;            \
        OK_WHOLE4(name##_32a, type) \
    };
OK_WIDE_VECTOR(double4, double)
OK_WIDE_VECTOR(longlong4, long long)
OK_WIDE_VECTOR(ulonglong4, unsigned long long)
OK_WIDE_VECTOR(long4, long)
OK_WIDE_VECTOR(ulong4, unsigned long)
#undef OK_WIDE_VECTOR
#undef OK_WHOLE2
#undef OK_WHOLE4

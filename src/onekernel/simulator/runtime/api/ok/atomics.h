// Atomic functions (CUDA C++ Programming Guide, "Atomic Functions"), with the overloads that CUDA has. Always inlined,
// so that ok_atomic sees the program counter of the learner's line.
#pragma once
#include "core.h"
#include "../vector_types.h"
#include "bits.h"

namespace __ok {

template <size_t size>
struct Word;
template <>
struct Word<1> {
    typedef uint8_t __attribute__((may_alias)) type;
};
template <>
struct Word<2> {
    typedef uint16_t __attribute__((may_alias)) type;
};
template <>
struct Word<4> {
    typedef uint32_t __attribute__((may_alias)) type;
};
template <>
struct Word<8> {
    typedef uint64_t __attribute__((may_alias)) type;
};

// Replaces *address by operation(*address) and returns what it was. The caller has told ok_atomic.
template <class T, class Operation>
OK_ALWAYS auto update(T* address, Operation operation) {
    using Bits = typename Word<sizeof(T)>::type;
    Bits* word = reinterpret_cast<Bits*>(address);
    Bits old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(word, &old, bit_cast<Bits>(operation(bit_cast<T>(old))), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return bit_cast<T>(old);
}

}  // namespace __ok

// Every function in its three scopes. They do the same; where blocks meet in one of a block, that is told.
#define OK_SCOPES(DEFINE, name, ...)        \
    DEFINE(name, false, __VA_ARGS__)        \
    DEFINE(name##_block, true, __VA_ARGS__) \
    DEFINE(name##_system, false, __VA_ARGS__)

#define OK_BUILTIN(name, of_block, type, builtin)           \
    OK_ALWAYS type name(type* address, type value, OK_AT) { \
        __ok::ok_atomic(address, sizeof(type), true, at, of_block); \
        return builtin(address, value, __ATOMIC_SEQ_CST);   \
    }
#define OK_UPDATE(name, of_block, type, expression)                               \
    OK_ALWAYS type name(type* address, type value, OK_AT) {                       \
        __ok::ok_atomic(address, sizeof(type), true, at, of_block);                 \
        return __ok::update(address, [=](type old) -> type { return expression; }); \
    }

#define OK_INTEGER_ATOMICS(type)                                     \
    OK_SCOPES(OK_BUILTIN, atomicAdd, type, __atomic_fetch_add)       \
    OK_SCOPES(OK_BUILTIN, atomicExch, type, __atomic_exchange_n)     \
    OK_SCOPES(OK_BUILTIN, atomicAnd, type, __atomic_fetch_and)       \
    OK_SCOPES(OK_BUILTIN, atomicOr, type, __atomic_fetch_or)         \
    OK_SCOPES(OK_BUILTIN, atomicXor, type, __atomic_fetch_xor)       \
    OK_SCOPES(OK_UPDATE, atomicMin, type, old < value ? old : value) \
    OK_SCOPES(OK_UPDATE, atomicMax, type, old > value ? old : value) \
    OK_SCOPES(OK_CAS, atomicCAS, type)
#define OK_CAS(name, of_block, type)                                                                         \
    OK_ALWAYS type name(type* address, type expected, type desired, OK_AT) {                                 \
        __ok::ok_atomic_compare(address, sizeof(type), at, of_block);                                          \
        __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return expected;                                                                                     \
    }
OK_INTEGER_ATOMICS(int)
OK_INTEGER_ATOMICS(unsigned int)
OK_INTEGER_ATOMICS(unsigned long long)
OK_SCOPES(OK_CAS, atomicCAS, unsigned short)
OK_SCOPES(OK_UPDATE, atomicMin, long long, old < value ? old : value)
OK_SCOPES(OK_UPDATE, atomicMax, long long, old > value ? old : value)
OK_SCOPES(OK_BUILTIN, atomicSub, int, __atomic_fetch_sub)
OK_SCOPES(OK_BUILTIN, atomicSub, unsigned int, __atomic_fetch_sub)
OK_SCOPES(OK_UPDATE, atomicInc, unsigned int, old >= value ? 0u : old + 1u)
OK_SCOPES(OK_UPDATE, atomicDec, unsigned int, old == 0u || old > value ? value : old - 1u)
OK_SCOPES(OK_UPDATE, atomicAdd, float, old + value)
OK_SCOPES(OK_UPDATE, atomicAdd, double, old + value)
OK_SCOPES(OK_UPDATE, atomicExch, float, ((void)old, value))
// What such a call on the bits of a float becomes (rewrite/accesses.py).
namespace __ok {
extern "C" void ok_negative_bits(const char* form);
#define OK_OF_BITS(name, form, expression)                                                      \
    OK_ALWAYS int atomic_##name##_of_bits(int* address, int value, OK_AT) {                     \
        ok_atomic(address, sizeof(int), true, at);                                              \
        const int before = update(address, [=](int old) -> int { return expression; });         \
        if (before < 0 && value < 0 && before != value) ok_negative_bits(form);                 \
        return before;                                                                          \
    }
OK_OF_BITS(max, "max", old > value ? old : value)
OK_OF_BITS(min, "min", old < value ? old : value)
#undef OK_OF_BITS
}  // namespace __ok
#undef OK_INTEGER_ATOMICS
#undef OK_CAS
#undef OK_BUILTIN

// Vectors of floats: atomic by component, one access of the whole vector. They need compute capability 9.0.
#if __CUDA_ARCH__ >= 900
#define OK_VECTOR_ADD(name, of_block, type, ...)                                          \
    OK_ALWAYS type name(type* address, type value, OK_AT) {                               \
        __ok::ok_atomic(address, sizeof(type), true, at, of_block);                         \
        float* part = reinterpret_cast<float*>(address);                                  \
        const float add[] = {__VA_ARGS__};                                                \
        float old[sizeof(type) / sizeof(float)];                                          \
        for (size_t i = 0; i < sizeof(type) / sizeof(float); ++i)                         \
            old[i] = __ok::update(part + i, [&](float before) { return before + add[i]; }); \
        type out;                                                                         \
        __builtin_memcpy(static_cast<void*>(&out), old, sizeof out);                                          \
        return out;                                                                       \
    }
OK_SCOPES(OK_VECTOR_ADD, atomicAdd, float2, value.x, value.y)
OK_SCOPES(OK_VECTOR_ADD, atomicAdd, float4, value.x, value.y, value.z, value.w)
#undef OK_VECTOR_ADD
#else  // diagnostics.py says what a call of a deleted one needs
#define OK_VECTOR_ADD(name, of_block, type) type name(type* address, type value, OK_AT) = delete;
OK_SCOPES(OK_VECTOR_ADD, atomicAdd, float2)
OK_SCOPES(OK_VECTOR_ADD, atomicAdd, float4)
#undef OK_VECTOR_ADD
#endif
#undef OK_UPDATE
#undef OK_SCOPES

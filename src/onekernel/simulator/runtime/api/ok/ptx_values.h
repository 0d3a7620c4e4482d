// Registers of PTX are words without a type; every instruction says what it takes them for.
#pragma once
#include <type_traits>

#include "../cuda_runtime.h"
#include "narrow_float.h"

namespace __ok {
namespace ptx {

struct Half {
    uint16_t bits;
    OK_ALWAYS_MEMBER operator float() const { return half_value(bits); }
};
struct BFloat16 {
    uint16_t bits;
    OK_ALWAYS_MEMBER operator float() const { return bfloat16_value(bits); }
};
template <class T>
struct Pair {
    T low, high;
};
typedef unsigned __int128 Bits128;

template <size_t bytes>
struct WordOf;
template <>
struct WordOf<1> {
    typedef uint8_t type;
};
template <>
struct WordOf<2> {
    typedef uint16_t type;
};
template <>
struct WordOf<4> {
    typedef uint32_t type;
};
template <>
struct WordOf<8> {
    typedef uint64_t type;
};
template <>
struct WordOf<16> {
    typedef Bits128 type;
};
template <class T>
using Word = typename WordOf<sizeof(T)>::type;

// A register's low bytes as a T.
template <class T, class W>
OK_ALWAYS T as(W word) {
    if constexpr (std::is_same_v<T, bool>) return word != 0;
    else {
        static_assert(sizeof(T) <= sizeof(W), "a register is narrower than its use");
        return bit_cast<T>(static_cast<Word<T>>(bit_cast<Word<W>>(word)));
    }
}
template <class T>
OK_ALWAYS auto bits(T value) {
    if constexpr (std::is_same_v<T, bool>) return value;
    else return bit_cast<Word<T>>(value);
}
// A narrower number in a wider register: signed ones with their sign.
template <class W, class T>
OK_ALWAYS W widened(T value) {
    if constexpr (std::is_integral_v<T>) return static_cast<W>(value);
    else return static_cast<W>(bits(value));
}
template <class W, class... Part>
OK_ALWAYS W pack(Part... part) {
    constexpr unsigned each = 8 * sizeof(W) / sizeof...(Part);
    W all = 0;
    unsigned at = 0;
    ((all |= static_cast<W>(bits(part)) << at, at += each), ...);
    return all;
}
template <class W, class... Part>
OK_ALWAYS void unpack(W word, Part&&... part) {
    constexpr unsigned each = 8 * sizeof(W) / sizeof...(Part);
    unsigned at = 0;
    ((part = static_cast<std::decay_t<Part>>(word >> at), at += each), ...);
}
template <class W>
struct Sink {
    W value;
};

// An "n" operand as a T.
template <class T, class N>
OK_ALWAYS constexpr T immediate(N number) {
    static_assert(std::is_integral_v<N> || std::is_enum_v<N>, "ok-asm-operand n");
    return static_cast<T>(number);
}

// For <type_traits>, `float* __restrict__` is no pointer.
template <class T>
struct Unqualified {
    typedef T type;
};
template <class T>
struct Unqualified<T* __restrict__> {
    typedef T* type;
};
template <class T>
using Unrestricted = typename Unqualified<std::remove_cv_t<T>>::type;

// A C++ operand as the word of its constraint's register: `As` is uint32_t for "r", float for "f" and so on.
template <class As, class T>
OK_ALWAYS void check_operand(const T&) {
    typedef Unrestricted<T> Plain;
    if constexpr (std::is_floating_point_v<As>) static_assert(std::is_same_v<Plain, As>, "ok-asm-operand");
    else static_assert((std::is_scalar_v<Plain> || std::is_same_v<Plain, Bits128>) && !std::is_floating_point_v<Plain> &&
                           (sizeof(Plain) == sizeof(As) || sizeof(Plain) < sizeof(int)),
                       "ok-asm-operand");
}
template <class As, class T>
OK_ALWAYS Word<As> operand(const T& value) {
    typedef Unrestricted<std::decay_t<const T>> Plain;
    if constexpr (std::is_same_v<Plain, As>) {
        return bits(static_cast<As>(value));
    } else if constexpr (std::is_floating_point_v<As>) {
        static_assert(std::is_arithmetic_v<Plain>, "ok-asm-operand");
        return bits(static_cast<As>(value));
    } else if constexpr (std::is_pointer_v<Plain>) {
        static_assert(sizeof(Plain) == sizeof(As), "ok-asm-operand");
        return reinterpret_cast<uint64_t>(static_cast<const volatile void*>(value));
    } else {
        static_assert((std::is_integral_v<Plain> || std::is_enum_v<Plain>) &&
                          (sizeof(Plain) == sizeof(As) || sizeof(Plain) < sizeof(int) ),
                      "ok-asm-operand");
        return static_cast<As>(value);
    }
}
template <class As>
OK_ALWAYS Word<As> nothing() {
    return 0;
}
template <class T, class W>
OK_ALWAYS void give(T& to, W word) {
    if constexpr (std::is_pointer_v<Unrestricted<T>>) to = reinterpret_cast<Unrestricted<T>>(word);
    else if constexpr (std::is_floating_point_v<T>) to = bit_cast<T>(word);
    else to = static_cast<T>(word);
}

OK_ALWAYS unsigned lane() { return ok_thread_rank() % 32; }

}  // namespace ptx
}  // namespace __ok

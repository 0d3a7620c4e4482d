// Reading the bits of a value as another type, without a library header.
#pragma once
#include <stddef.h>


// Header functions vanish into their callers, so that a program counter and an inlined frame are the learner's.
#define OK_ALWAYS static inline __attribute__((always_inline))
#define OK_ALWAYS_MEMBER inline __attribute__((always_inline))

// A 16-byte vector that passes through here is one access to memory.
#if defined(__clang__)
#define OK_WHOLE_WORD(word) __asm__("" : "+r"(word))
#else
#define OK_WHOLE_WORD(word) static_cast<void>(0)
#endif
#if defined(__clang__) && defined(__x86_64__)
#define OK_WHOLE(word) __asm__("" : "+x"(word))
#elif defined(__clang__) && defined(__aarch64__)
#define OK_WHOLE(word) __asm__("" : "+w"(word))
#else
#define OK_WHOLE(word) static_cast<void>(0)
#endif

namespace __ok {

// What the headers' own functions call returns `auto`: to deduce its type, g++ instantiates it where it reads the call,
// which is once, in the precompiled header; with the type spelled out, it would at the end of each file.
template <class To, class From>
OK_ALWAYS auto bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "bit_cast needs two types of one size");
    To to;
    __builtin_memcpy(static_cast<void*>(&to), &from, sizeof to);
    return to;
}

// Copies 2, 4, 8 or 16 bytes, or a multiple of 16, by single accesses that clang is kept from splitting.
template <size_t bytes>
struct WholeWord;
template <>
struct WholeWord<2> {
    typedef unsigned short __attribute__((may_alias)) type;
};
template <>
struct WholeWord<4> {
    typedef unsigned int __attribute__((may_alias)) type;
};
template <>
struct WholeWord<8> {
    typedef unsigned long long __attribute__((may_alias)) type;
};
template <>
struct WholeWord<16> {
    typedef float __attribute__((vector_size(16), may_alias)) type;
};
template <size_t bytes>
OK_ALWAYS auto copy_whole(void* to, const void* from) {
    constexpr size_t piece = bytes > 16 ? 16 : bytes;
    typedef typename WholeWord<piece>::type Word;
    for (size_t i = 0; i < bytes / piece; ++i) {
        Word word = static_cast<const Word*>(from)[i];
        if constexpr (piece == 16) OK_WHOLE(word);
        else OK_WHOLE_WORD(word);
        static_cast<Word*>(to)[i] = word;
    }
}

}  // namespace __ok

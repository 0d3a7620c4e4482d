// Reading the bits of a value as another type, without a library header.
#pragma once

// Header functions vanish into their callers, so that a program counter and an inlined frame are the learner's.
#define OK_ALWAYS static inline __attribute__((always_inline))
#define OK_ALWAYS_MEMBER inline __attribute__((always_inline))

namespace __ok {

template <class To, class From>
OK_ALWAYS To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "bit_cast needs two types of one size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

}  // namespace __ok

// Keys as unsigned integers in the same order: signed ones with their top bit turned, floating ones below 0 turned whole.
#pragma once
#include <stdint.h>

#include <type_traits>

#include "bits.h"

namespace __ok {
template <class Key>
struct RadixKey {
    using Bits = std::conditional_t<sizeof(Key) == 1, uint8_t, std::conditional_t<sizeof(Key) == 2, uint16_t, std::conditional_t<sizeof(Key) == 4, uint32_t, uint64_t>>>;
    static constexpr Bits TOP = static_cast<Bits>(Bits(1) << (8 * sizeof(Key) - 1));
    static constexpr bool FLOATING = !std::is_integral_v<Key>;
    OK_ALWAYS_MEMBER static Bits bits(Key key) {
        const Bits b = bit_cast<Bits>(key);
        if constexpr (FLOATING) return static_cast<Bits>(b & TOP ? ~b : b | TOP);
        else if constexpr (std::is_signed_v<Key>) return static_cast<Bits>(b ^ TOP);
        else return b;
    }
    OK_ALWAYS_MEMBER static Key key(Bits b) {
        if constexpr (FLOATING) return bit_cast<Key>(static_cast<Bits>(b & TOP ? b & ~TOP : ~b));
        else if constexpr (std::is_signed_v<Key>) return bit_cast<Key>(static_cast<Bits>(b ^ TOP));
        else return bit_cast<Key>(b);
    }
};
}  // namespace __ok

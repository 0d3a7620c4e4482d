// Which bytes of an allocation a launch has touched, a bit each.
#pragma once

#include <cstdint>
#include <cstring>

namespace __ok {
// `unique` grows by those of the bytes from `offset` that had not been touched.
inline void mark_many_bits(uint8_t* bits, uintptr_t offset, int bytes, uint64_t& unique);
inline __attribute__((always_inline)) void mark_bits(uint8_t* bits, uintptr_t offset, int bytes, uint64_t& unique) {
    if (bytes == 4 && offset % 4 == 0) {
        unsigned mask = 15u << offset % 8;
        uint8_t had = bits[offset / 8];
        static constexpr uint8_t ONES[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
        unique += 4 - ONES[(had & mask) >> offset % 8];
        bits[offset / 8] = static_cast<uint8_t>(had | mask);
    } else {
        mark_many_bits(bits, offset, bytes, unique);
    }
}
inline void mark_many_bits(uint8_t* bits, uintptr_t offset, int bytes, uint64_t& unique) {
    for (uint64_t had; bytes >= 64 && offset % 8 == 0; bytes -= 64, offset += 64) {
        memcpy(&had, bits + offset / 8, 8);
        unique += 64 - static_cast<unsigned>(__builtin_popcountll(had));
        memset(bits + offset / 8, 255, 8);
    }
    for (; bytes >= 8 && offset % 8 == 0; bytes -= 8, offset += 8) {
        unique += 8 - static_cast<unsigned>(__builtin_popcount(bits[offset / 8]));
        bits[offset / 8] = 255;
    }
    for (int i = 0; i < bytes; i++, offset++) {
        uint8_t bit = 1 << offset % 8;
        unique += !(bits[offset / 8] & bit);
        bits[offset / 8] |= bit;
    }
}
inline bool all_marked(const uint8_t* bits, uintptr_t offset, int bytes) {
    bool all = true;
    for (int i = 0; i < bytes; i++, offset++) all &= bits[offset / 8] >> offset % 8 & 1;
    return all;
}
}  // namespace __ok

// Global memory moves in sectors of 32 bytes: a request moves each that one of its lanes touches, once.
#pragma once

#include <algorithm>
#include <cstdint>

namespace __ok {
constexpr int SECTOR_BYTES = 32;

inline uint64_t first_sector(uint64_t address) { return address / SECTOR_BYTES; }
inline uint64_t last_sector(uint64_t address, int bytes) { return (address + bytes - 1) / SECTOR_BYTES; }

// The distinct sectors of `count` lanes, ascending, into `out`, which has room for two of each lane; how many they are.
// `sizes`: each lane's bytes, or null where all ask for `bytes`.
inline int sectors_of(const uint64_t* addresses, const uint8_t* sizes, int count, int bytes, uint64_t* out) {
    uint64_t* end = out;
    for (int i = 0; i < count; i++) {
        *end++ = first_sector(addresses[i]);
        *end++ = last_sector(addresses[i], sizes ? sizes[i] : bytes);
    }
    std::sort(out, end);
    return static_cast<int>(std::unique(out, end) - out);
}
}  // namespace __ok

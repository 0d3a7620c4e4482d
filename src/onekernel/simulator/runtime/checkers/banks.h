// Shared memory lies in 32 banks, 4-byte word after word. In one pass, a wavefront, each bank gives one word, to all who want
// it. Accesses of 8 bytes are served by half warps, of 16 bytes by quarters. Loads in which each lane wants what its
// neighbour wants, or each what the lane after next wants, are served by whole and by half warps.
// Sources: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x; A. Feldmann, "Notes About Nvidia GPU Shared
// Memory Banks"; held to what ncu counts on an H200 by tests/simulator/test_banks.py.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../api/ok/card.h"

namespace __ok {
constexpr int BANKS = 32, WORD_BYTES = 4;

inline uint64_t word_of(uint64_t address) { return address / WORD_BYTES; }
inline int bank_of(uint64_t word) { return static_cast<int>(word % BANKS); }
inline int words_each(int bytes) { return bytes >= WORD_BYTES ? bytes / WORD_BYTES : 1; }

// Do all lanes whose partner, `apart` away, takes part ask for what it asks for?
inline bool same_as_partner(const uint64_t* addresses, const int* lanes, int count, int apart) {
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count && lanes[k] <= (lanes[i] | apart); k++)
            if (lanes[k] == (lanes[i] ^ apart) && addresses[k] != addresses[i]) return false;
    return true;
}

// Calls served(begin, end) for each part of the `count` lanes, ascending, that is served by itself.
template <class F>
void each_part(const uint64_t* addresses, const int* lanes, int count, int bytes, bool load, F served) {
    int together = bytes == 16 ? WARP / 4 : bytes == 8 ? WARP / 2 : WARP;
    if (together < WARP && load && (same_as_partner(addresses, lanes, count, 1) || same_as_partner(addresses, lanes, count, 2)))
        together *= 2;
    for (int begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && lanes[end] / together == lanes[begin] / together) end++;
        served(begin, end);
    }
}

struct Served {
    int wavefronts, parts;
};

// Of each part the most distinct words that one bank must give. An access is aligned: its words are those of neighbouring banks,
// which give as many words as each other.
inline Served serve(const uint64_t* addresses, const int* lanes, int count, int bytes, bool load) {
    Served all{};
    const int of_piece = __builtin_ctz(static_cast<unsigned>(std::max(bytes, WORD_BYTES)));  // bits of an address
    const uint64_t places = BANKS * WORD_BYTES >> of_piece;
    each_part(addresses, lanes, count, bytes, load, [&](int begin, int end) {
        int most = 0, given[BANKS] = {}, last[BANKS], before[WARP];  // of each place; the lane before with a piece of the same
        for (int i = begin; i < end; i++) {
            const uint64_t wanted = addresses[i] >> of_piece, place = wanted & (places - 1);
            int k = given[place] ? last[place] : -1;
            while (k >= 0 && addresses[k] >> of_piece != wanted) k = before[k];
            if (k >= 0) continue;
            before[i] = given[place] ? last[place] : -1;
            last[place] = i;
            most = std::max(most, ++given[place]);
        }
        all.wavefronts += most;
        all.parts++;
    });
    return all;
}
}  // namespace __ok

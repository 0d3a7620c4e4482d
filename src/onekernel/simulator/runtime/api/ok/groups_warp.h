// Exchange among the lanes that a mask names: what tiles and coalesced groups are made of.
#pragma once
#include "core.h"
#include "bits.h"

namespace __ok {

OK_ALWAYS unsigned lane_index() { return ok_thread_rank() % WARP; }
OK_ALWAYS unsigned lanes_below(unsigned lane) { return (1u << lane) - 1; }

// The lane of the mask's bit number `rank`, counted from 0; a lane outside of the mask where there is none.
OK_ALWAYS int lane_of_rank(unsigned mask, unsigned rank) {
    int lane = 0;
    for (; lane < WARP - 1; ++lane)
        if (mask >> lane & 1 && rank-- == 0) break;
    return lane;
}

// The mask's lanes of `bits`, packed: bit number r is that of rank r.
OK_ALWAYS unsigned pack(unsigned mask, unsigned bits) {
    unsigned out = 0;
    for (int lane = 0, rank = 0; lane < WARP; ++lane)
        if (mask >> lane & 1) out |= (bits >> lane & 1) << rank++;
    return out;
}

// A shuffle of a value of any size, word by word.
template <class T>
OK_ALWAYS T shuffle_any(int what, unsigned mask, T value, int lane, int width, Site at) {
    if constexpr (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) {
        return shuffle(what, mask, value, lane, width, at);
    } else {
        static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= 32, "cooperative groups exchange values of at most 32 bytes");
        unsigned words[sizeof(T) / 4];
        __builtin_memcpy(words, &value, sizeof value);
        for (unsigned& word : words) word = shuffle(what, mask, word, lane, width, at);
        __builtin_memcpy(static_cast<void*>(&value), words, sizeof value);
        return value;
    }
}

OK_ALWAYS unsigned ballot(unsigned mask, int predicate, Site at) {
    return static_cast<unsigned>(ok_collective(BALLOT, mask, predicate != 0, 0, WARP, 4, nullptr, at));
}

}  // namespace __ok

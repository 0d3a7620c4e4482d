// The shadow of shared memory as long as nothing but plain loads and stores of whole words, by threads of its block, has
// touched it: most of it, mostly. Four words lie together, field by field, so that an access of 16 bytes is a step of vector
// registers, and take half the cache of their ShadowWords. Whatever else touches a word turns it into its ShadowWord; it is
// plain again when a barrier has ordered all of that.
#pragma once

#include "shadow.h"

namespace __ok {
// Times are Worker::time, 0 for none, and places are WordAccess::where.
struct alignas(64) PlainWords {
    int32_t read[4], read_at[4], read2[4], read2_at[4];  // as READER and READER2
    int32_t wrote[4], wrote_at[4], read_before[4];
};

// A phase lies between two barriers of a block. All are counted: what earlier blocks did is before the first of this one.
struct PlainShadow {
    int32_t now, first;  // phases of the running block
    alignas(64) int32_t phase[ARENA_BYTES / 4];  // by word: when it was written; before `first`: it is not plain
    PlainWords words[ARENA_BYTES / 16];
};
constexpr int32_t NOT_PLAIN = -1;

// An access of whole words that are plain, and that meets no other: put down, or false, and nothing is.
template <int bytes> bool read_plainly(const Worker& w, uint32_t at, uintptr_t pc);
template <int bytes> bool written_plainly(const Worker& w, uint32_t at, uintptr_t pc);
// A store to whole words that nobody of this block has touched; false where it leaves its array, too.
template <int bytes> bool begun_plainly(const Worker& w, uint32_t at, uintptr_t pc);

// The same of any access to one word. False: its ShadowWord `c` has taken over.
bool stays_plain(const Worker& w, uint32_t word, ShadowWord& c, const WordAccess now, uint32_t launch);

void plain_block_started(Worker& w);
inline void plain_barrier_passed(Worker& w) { if (w.plain) w.plain->now++; }
}  // namespace __ok

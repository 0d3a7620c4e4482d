// What is ordered before what: by barriers and collectives within a block, by fences and atomics between blocks.
#pragma once

#include <cstdint>

#include "state.h"

namespace __ok {
// One access to a word, as a cell keeps it.
struct __attribute__((packed, aligned(2))) Access {
    uint32_t block;         // linear index + 1; 0: none
    uint32_t time;          // Worker::time
    uint32_t pc : 22;       // offset from code_base(), 0 if it is beyond
    uint32_t thread : 10;
    uint8_t bytes;          // which of the word's four
    uint8_t flags;
};
static_assert(sizeof(Access) == 14 && MAX_THREADS_PER_BLOCK <= 1 << 10);

// Is `p`, an access of the running block, ordered before what its thread `rank` does now?
bool ordered_in_block(Worker& w, const Access& p, unsigned rank);
// Is `p`, an access of any block, ordered before what thread `rank` of the running block does now?
bool ordered(Worker& w, const Access& p, unsigned rank);
// An atomic by the running thread: it acquires, and releases if the thread has made a fence since its last store.
void synchronise(Worker& w, uintptr_t address, bool writes);

// Events of the scheduler.
void start_order();  // a launch begins
void order_block_started(Worker& w);
void order_barrier_passed(Worker& w);
void order_warp_met(Worker& w, int warp, unsigned group);
void order_blocks_met(int from, int to);  // members of a team, at a barrier of their cluster
}  // namespace __ok

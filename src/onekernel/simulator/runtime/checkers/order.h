// What is ordered before what: by barriers and collectives within a block, by fences and atomics between blocks.
#pragma once

#include <cstdint>

#include "../shadow/shadow.h"
#include "checker.h"

namespace __ok {
// Is `p`, an access of the running block, ordered before what its thread `rank` does now?
bool ordered_in_block(Worker& w, const WordAccess& p, unsigned rank);
// Is `p`, an access of any block, ordered before what thread `rank` of the running block does now?
bool ordered(Worker& w, const WordAccess& p, unsigned rank);
// Is `p` before a barrier of several blocks that both have passed? For resident blocks.
bool ordered_by_block_barrier(Worker& w, const WordAccess& p, unsigned rank);
// An atomic by the running thread: it acquires, and releases if the thread has made a fence since its last store.
void synchronise(Worker& w, uintptr_t address, bool writes);
// Has a thread of that block (linear index) written by an atomic in this launch with no fence before it?
bool signalled_without_fence(uint32_t block);

void start_order();  // a launch begins

struct OrderChecker : Checker<OrderChecker> {
    static inline __attribute__((always_inline)) bool access(Worker& w, Access& a) {
        // What is stored behind a fence that fence does not order.
        if (a.on & RACES && a.space == Space::GLOBAL && a.writes() && !(a.flags & (ATOMIC | VOLATILE)) && a.buffer->shadow) w.fenced[w.rank] = 0;
        return true;
    }
    static void synchronised(Worker& w, uintptr_t address, bool writes) { if (options & RACES) synchronise(w, address, writes); }
    static void block_started(Worker& w);
    static void barrier_passed(Worker& w);
    static void warp_reconverged(Worker& w, int warp, unsigned group, bool orders);
    static void blocks_passed(Worker& w, int level, int from, int to);
};
}  // namespace __ok

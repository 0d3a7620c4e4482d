// What is ordered before what: by barriers and collectives within a block, by fences and atomics between blocks.
#pragma once

#include <cstdint>

#include "shadow.h"

namespace __ok {
// Is `p`, an access of the running block, ordered before what its thread `rank` does now?
bool ordered_in_block(Worker& w, const Access& p, unsigned rank);
// Is `p`, an access of any block, ordered before what thread `rank` of the running block does now?
bool ordered(Worker& w, const Access& p, unsigned rank);
// Is `p` before a barrier of several blocks that both have passed? For resident blocks.
bool ordered_by_block_barrier(Worker& w, const Access& p, unsigned rank);
// An atomic by the running thread: it acquires, and releases if the thread has made a fence since its last store.
void synchronise(Worker& w, uintptr_t address, bool writes);
// Has a thread of that block (linear index) written by an atomic in this launch with no fence before it?
bool signalled_without_fence(uint32_t block);

// Events of the machine, told by events.cpp.
void start_order();  // a launch begins
void order_block_started(Worker& w);
void order_barrier_passed(Worker& w);
void order_warp_reconverged(Worker& w, int warp, unsigned group);
void order_cluster_barrier_passed(int from, int to);  // of resident blocks, those from `from` up to `to`
}  // namespace __ok

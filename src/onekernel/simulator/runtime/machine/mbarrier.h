// Barriers that a kernel makes itself: mbarrier objects in shared memory, and the sixteen named barriers of a block.
#pragma once

#include <vector>

#include "state.h"

namespace __ok {
void forget_barriers(Worker& w);        // a block begins
void release_barriers(Worker& w);
// Nobody can run: those that wait for an mbarrier come back without it, once. False where that has been tried.
bool wake_waiting(Worker& w);
// In whose shared memory `at` lies, the running block's or that of another one of its cluster, and where; ARENA_BYTES or more: in none.
Worker& owner_of_shared(Worker& w, const void* at, uint32_t& offset);
// The running thread is among those that wait, until they are woken.
void wait_among(Worker& w, std::vector<uint16_t>& waiting, Site at);
void wake_all(Worker& w, std::vector<uint16_t>& waiting);
// What the running thread has done is released at `object`, which is no memory of the kernel's; and acquired.
void release_at(Worker& w, const void* object);
void acquire_at(Worker& w, const void* object);
// The running thread has started a bulk copy, which tells the mbarrier when its bytes have come.
void bulk_copy_tells(Worker& w, void* object, int64_t bytes, Site at, uintptr_t pc);
}  // namespace __ok

// Asynchronous copies into shared memory: what a thread has started, what it has waited for, who may touch it.
#pragma once

#include "../memory/memory.h"
#include "../machine/state.h"

namespace __ok {
// Judges an access to `bytes` bytes of shared memory from `offset`; true if a copy into them makes it a fault, which is
// then reported. An access that may happen ends the copy's hold on them where it writes.
bool meets_copy(Worker& w, const SharedArray* array, uint32_t offset, int bytes, bool writes, uintptr_t pc);
// hooks.cpp: judges the write that a copy makes, which happens later. False where it may not happen.
bool asynchronous_write(Worker& w, uintptr_t address, int bytes, uintptr_t pc);
// Likewise for what other instructions of ours touch: an atomic, which orders threads, and a plain store.
void atomic_access(Worker& w, uintptr_t address, int bytes, bool writes, uintptr_t pc);
void plain_write(Worker& w, uintptr_t address, int bytes, uintptr_t pc);
// The copies of `thread` up to this batch have come, for all to see who wait for what told them.
void copies_arrive(Worker& w, unsigned thread, uint32_t batch);
uint32_t copies_closed(const Worker& w);  // batches of the running thread
void forget_copies(Worker& w);   // a block begins
void release_copies(Worker& w);
}  // namespace __ok

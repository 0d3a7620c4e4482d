// Asynchronous copies into shared memory: what a thread has started, what it has waited for, who may touch it.
#pragma once

#include "../memory/memory.h"
#include "checker.h"

namespace __ok {
// Judges an access to `bytes` bytes of shared memory from `offset`; true if a copy into them makes it a fault, which is
// then reported. An access that may happen ends the copy's hold on them where it writes.
bool meets_copy(Worker& w, const SharedArray* array, uint32_t offset, int bytes, bool writes, uintptr_t pc);
// hooks.cpp: judges the write that a copy makes, which happens later. False where it may not happen.
bool asynchronous_write(Worker& w, uintptr_t address, int bytes, uintptr_t pc);
// The same in the shared memory of `owner`, a block of the cluster. `counted`: as cp.async is, or not at all.
bool asynchronous_write(Worker& w, const Worker& owner, uint32_t offset, int bytes, bool counted, uintptr_t pc);
// Likewise for what other instructions of ours touch: an atomic, which orders threads, and a plain store.
void atomic_access(Worker& w, uintptr_t address, int bytes, bool writes, uintptr_t pc);
void plain_write(Worker& w, uintptr_t address, int bytes, uintptr_t pc);
// What a texture or surface unit reads or writes: ncu counts it apart from loads and stores.
void texture_access(Worker& w, uintptr_t address, int bytes, bool writes, uintptr_t pc);
// The copies of `thread` up to this batch have come: its own wait, or, with the number of a landing, an mbarrier tells so.
void copies_arrive(Worker& w, unsigned thread, uint32_t batch, uint32_t landing = 0);
void copies_handed(Worker& w);                          // an mbarrier will be told of the running thread's closed batches
uint32_t copies_land(Worker& w, uintptr_t object, uint32_t phase);  // at the mbarrier `object`: the landing's number, or 0
void copies_seen(Worker& w, uintptr_t object, uint32_t phase);      // the running thread has waited there, until that one began
// 16 bytes of a bulk copy of the running thread's, to the shared memory of `owner`, and that they have come: who asks the mbarrier at
// `object`, an offset in the same memory, has them arrive. False where they may not be written, or none was under way.
bool bulk_copy_started(Worker& w, Worker& owner, uint32_t object, uint32_t to, const void* data, Site at, uintptr_t pc);
bool bulk_copies_arrive(Worker& w, uint32_t object, uint32_t landing);
uint32_t copies_closed(const Worker& w);  // batches of the running thread
bool copies_were_made();         // by any block of the process
void release_copies(Worker& w);

struct AsyncCopiesChecker : Checker<AsyncCopiesChecker> {
    static inline __attribute__((always_inline)) bool access(Worker& w, Access& a) {
        if (a.space == Space::SHARED && __builtin_expect(w.copies_under_way, 0)) a.explained = meets_copy(w, a.array(), a.offset, a.bytes, a.writes(), a.pc);
        return true;
    }
    static void settled(Worker&, Access&) {}
    static void block_started(Worker& w);
};
}  // namespace __ok

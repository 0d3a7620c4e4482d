// Asynchronous copies into shared memory: what a thread has started, what it has waited for, who may touch it.
#pragma once

#include "../memory/memory.h"
#include "../machine/state.h"

namespace __ok {
extern bool copies_under_way;  // the running block may have some
// Judges an access to `bytes` bytes of shared memory from `offset`; true if a copy into them makes it a fault, which is
// then reported. An access that may happen ends the copy's hold on them where it writes.
bool meets_copy(Worker& w, const SharedArray* array, uint32_t offset, int bytes, bool writes, uintptr_t pc);
}  // namespace __ok

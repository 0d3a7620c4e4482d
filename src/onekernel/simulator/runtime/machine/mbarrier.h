// Barriers that a kernel makes itself: mbarrier objects in shared memory, and the sixteen named barriers of a block.
#pragma once

#include "state.h"

namespace __ok {
void forget_barriers(Worker& w);        // a block begins
void release_barriers(Worker& w);
// Nobody can run: those that wait for an mbarrier come back without it, once. False where that has been tried.
bool wake_waiting(Worker& w);
}  // namespace __ok

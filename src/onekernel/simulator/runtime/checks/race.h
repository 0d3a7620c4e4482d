// Who touched a word last, and whether the next to touch it is ordered after: races and reads of what nobody wrote.
#pragma once

#include <cstdint>

#include "shadow.h"

namespace __ok {
// Checks one access to `bytes` bytes at `address` against the shadow of the memory that begins at `base`.
void check_order(Worker& w, const Place& place, ShadowWord* shadow, uintptr_t address, uintptr_t base, int bytes, unsigned flags,
                 uintptr_t pc);
// A write that may have stored what was there already is judged when it has happened.
void settle(Worker& w);

// Events of the machine, told by events.cpp.
void start_races();      // a launch begins
void forget_accesses();  // all threads of the grid have met: whatever was touched before is ordered before what follows
}  // namespace __ok

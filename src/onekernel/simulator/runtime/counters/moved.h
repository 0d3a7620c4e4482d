// Bytes that a launch moves, by buffer, where no check keeps account of them: threads of several cores ask for them at once.
#pragma once

#include <cstdint>

#include "../machine/state.h"

namespace __ok {
struct Allocation;
struct Moved;  // of one core
Moved* make_moved();
void start_moved(Moved& moved);
void start_touched_bytes();  // of every allocation: nothing is touched yet
void note_moved(Worker& w, Allocation& a, uintptr_t address, int bytes, unsigned flags);
void add_moved(const Moved& moved);  // to the allocations
void count_touched_bytes();          // when all cores have done
}  // namespace __ok

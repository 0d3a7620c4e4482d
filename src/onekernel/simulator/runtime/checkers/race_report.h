// Findings of races.cpp.
#pragma once

#include "../memory/access.h"
#include "../shadow/shadow.h"

namespace __ok {
// Two accesses that meet, in the order in which they were made here. `read_before`: where the one that writes has read the
// word since the last barrier, 0 if it has not.
[[gnu::noinline]] void report_race(Worker& w, const Place& place, uintptr_t address, const WordAccess& earlier, const WordAccess& later,
                                   uint32_t read_before);
// A read that nobody may have written before, and who did.
[[gnu::noinline]] void report_written(const Place& place, uintptr_t address, const WordAccess& by, Site at);
[[gnu::noinline]] void report_uninitialised(const Place& place, uintptr_t at, uintptr_t pc);
}  // namespace __ok

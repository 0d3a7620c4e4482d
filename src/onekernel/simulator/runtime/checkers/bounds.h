// Accesses that hit nothing, what was freed, an address that their size does not divide, or memory of the host.
#pragma once

#include <cstdint>

#include "checker.h"

namespace __ok {
struct BoundsChecker : Checker<BoundsChecker> {
    static bool access(Worker& w, Access& a);
    template <int bytes, unsigned flags> static bool settles(Worker& w, Access& a);
    static void settled(Worker&, Access&) {}
};

// Out of line, so that the hooks stay small.
[[gnu::noinline]] void report_out_of_bounds(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc);
[[gnu::noinline]] void report_foreign_local(Worker& w, uintptr_t address, bool writes, uintptr_t pc);
[[gnu::noinline]] void report_outside_symbol(Worker& w, const Allocation& a, uintptr_t address, int bytes, unsigned flags, uintptr_t pc);
[[gnu::noinline]] void report_out_of_bounds_shared(uint32_t offset, int bytes, unsigned flags, uintptr_t pc);
// Ends the kernel, as a GPU does.
[[gnu::noinline]] void report_misaligned(uintptr_t address, int bytes, uintptr_t pc, const char* name);
}  // namespace __ok

// What the hooks share, whichever access of the file they stand for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace __ok {
// An access of 1, 2, 4, 8 or 16 bytes by the line at `pc`; `flags` of memory/access.h.
void rare_access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc);
// One of any size, in such pieces.
void access_range(uintptr_t address, size_t bytes, unsigned flags, uintptr_t pc);
void volatile_access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc);
}  // namespace __ok

#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define ADDRESS reinterpret_cast<uintptr_t>(p)

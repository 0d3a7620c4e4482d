// Work of a library that is compiled with the program, as Thrust is: device memory is open to the host while it lasts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace __ok {
extern int library_depth;  // of such work, one call within another
[[gnu::noinline]] void note_library_access(uintptr_t address, size_t bytes, bool writes);
}  // namespace __ok

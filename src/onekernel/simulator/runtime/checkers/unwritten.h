// What a copy brings to the host though no kernel, copy or fill ever wrote it: results that a grid was too small for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../api/ok/runtime.h"

namespace __ok {
void tell_unwritten(uintptr_t from, size_t bytes, Site at);  // of a program's copy
}  // namespace __ok

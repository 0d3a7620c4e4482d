#pragma once

#include <cstdint>

#include "state.h"

namespace __ok {
void guard_program();
bool guarded(void (*body)(void*), void* context);     // false: a fault or the time limit ended it
[[noreturn]] void missing_return(Site at);            // a function ended without the value that it owes
}  // namespace __ok

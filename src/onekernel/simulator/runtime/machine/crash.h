#pragma once

#include <cstdint>

#include "state.h"

namespace __ok {
void set_time_limit(double seconds);                  // of processor time, for each core and call
double stop_time_limit();                             // seconds that are left; the clock stands until it is set on again
void resume_time_limit(double seconds_left);
void set_code(uintptr_t low, uintptr_t high);         // where this shared object's code lies
void guard_program();
bool in_code(uintptr_t pc);
bool guarded(void (*body)(void*), void* context);     // false: a fault or the time limit ended it
[[noreturn]] void missing_return(Site at);            // a function ended without the value that it owes
}  // namespace __ok

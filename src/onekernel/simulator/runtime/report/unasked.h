// Errors that calls of the runtime have returned to a program, until it asks for the last one.
#pragma once

#include <vector>

#include "../machine/state.h"

namespace __ok {
void note_unasked(int error);  // by the running call of the host
std::vector<uintptr_t> stack_of_host();  // addresses of the program's code, the innermost first
void forget_unasked();         // the program has asked
void tell_unasked();           // at its end; whether it looked at what the call returned, the compiler knows

// What fails meanwhile is this launch, which returns nothing.
struct Launching {
    explicit Launching(const LaunchSite& site);
    ~Launching();
};
bool is_launching();  // this thread, in the runtime
}  // namespace __ok

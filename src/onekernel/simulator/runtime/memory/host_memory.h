#pragma once

#include "../machine/state.h"

namespace __ok {
void look_for_host_arguments(const LaunchSite& site, const void* const* pointers, int count);
void note_arguments(const Argument* values, int count);  // of the launch to come, where they lie
bool refuse_host_arguments();                 // told, and the launch is not made
bool in_host_argument(uintptr_t address);     // of the running launch
bool is_readable(uintptr_t address);
bool is_registered(uintptr_t address);        // host memory that kernels may touch
void each_registered(void (*then)(uintptr_t low, uintptr_t high, void* data), void* data);
[[gnu::noinline]] void report_host_pointer(Worker& w, uintptr_t address, bool writes, uintptr_t pc);  // ends the launch; arguments may be read
}  // namespace __ok

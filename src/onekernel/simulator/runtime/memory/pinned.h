// Page-locked memory of the host while work on a stream uses it.
#pragma once

#include "memory.h"

namespace __ok {
struct PinnedUse {
    enum Kind { ARRIVES, KERNEL, LEAVES } kind;  // a copy into it, a kernel that was given it, a copy from it
    Site at{nullptr, 0};
};
constexpr size_t WHOLE = ~size_t(0);  // bytes: all of the allocation

void pinned_busy(const void* pointer, size_t bytes, PinnedUse use, const volatile void* stream);  // the last work put there
void close_pinned();                                                              // but for what the host has waited for
bool pinned_in_use(const Allocation& a, uintptr_t address, PinnedUse* use);  // it is told once: nothing of `a` is, after
}  // namespace __ok

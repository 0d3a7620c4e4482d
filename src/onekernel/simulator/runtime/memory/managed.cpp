// Managed memory: device memory that the host may touch too, except while work that was given it may still run.
#include <sys/mman.h>

#include "../machine/launch.h"
#include "../machine/streams.h"
#include "memory.h"

namespace __ok {
static int managed = 0;  // allocations ever made: without one, nothing of this costs anything

void open_managed() {
    if (!managed) return;
    for (int i = 1; i < allocation_count; i++)
        if (allocations[i].live && allocations[i].managed && host_has_waited(i)) open_to_host(allocations[i]);
}

Allocation* managed_at(uintptr_t address) {
    if (!heap_base || address - heap_base >= HEAP_BYTES) return nullptr;
    Allocation& a = owner_of(address - heap_base);
    return a.live && a.managed ? &a : nullptr;
}

void open_to_host(const Allocation& a) {
    size_t bytes = (a.end - a.base + GRANULE - 1) / GRANULE * GRANULE;
    mprotect(reinterpret_cast<void*>(a.base), bytes, PROT_READ | PROT_WRITE);
}

extern "C" bool ok_is_managed(const void* pointer) { return managed_at(reinterpret_cast<uintptr_t>(pointer)) != nullptr; }

// What the host writes is not seen: the memory counts as initialised.
extern "C" int ok_managed_alloc(void** out, size_t bytes, Site at) {
    int error = ok_device_alloc(out, bytes, nullptr, at);
    if (error || !bytes) return error;
    Allocation& a = owner_of(reinterpret_cast<uintptr_t>(*out) - heap_base);
    a.managed = a.initialised = true;
    managed++;
    open_to_host(a);
    return SUCCESS;
}
}  // namespace __ok

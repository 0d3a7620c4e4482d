// Managed memory: device memory that the host may touch too, except while work that was given it may still run.
#include <sys/mman.h>

#include "../machine/launch.h"
#include "../machine/streams.h"
#include "memory.h"
#include "pinned.h"

namespace __ok {
static int managed = 0;  // allocations ever made: without one, nothing of this costs anything

void open_managed() {
    if (!managed) return;
    while_closed([] {  // else when it is closed: another thread of the host may be copying
        for (int i = 1; i < allocation_count; i++)
            if (allocations[i].live && allocations[i].managed && (allocations[i].pinned || host_has_waited(i))) open_to_host(allocations[i]);
        close_pinned();
    });
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

bool is_of_both(const void* pointer) {
    const Allocation* symbol = symbol_at(reinterpret_cast<uintptr_t>(pointer));
    return (symbol && symbol->of_both) || managed_at(reinterpret_cast<uintptr_t>(pointer));
}

extern "C" bool ok_is_managed(const void* pointer) {
    const Allocation* a = managed_at(reinterpret_cast<uintptr_t>(pointer));
    return a && !a->pinned;
}
extern "C" bool ok_is_pinned(const void* pointer) {
    const Allocation* a = managed_at(reinterpret_cast<uintptr_t>(pointer));
    return a && a->pinned;
}

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

// Memory of the host that kernels may reach, too: mapped ("zero copy"), as page-locked memory is with unified addresses.
extern "C" int ok_pinned_alloc(void** out, size_t bytes, Site at) {
    int error = ok_managed_alloc(out, bytes, at);
    if (!error && bytes) owner_of(reinterpret_cast<uintptr_t>(*out) - heap_base).pinned = true;
    return error;
}
}  // namespace __ok

#include "shadow.h"

#include <sys/mman.h>

namespace __ok {
static void* pages(size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void make_shadow(Allocation& a) {
    size_t bytes = a.end - a.base, bits = bytes / 8 + 1;
    a.shadow = static_cast<ShadowWord*>(pages((bytes / 4 + 2) * sizeof(ShadowWord)));
    madvise(a.shadow, (bytes / 4 + 2) * sizeof(ShadowWord), MADV_HUGEPAGE);
    a.read_bits = static_cast<uint8_t*>(pages(2 * bits));
    a.write_bits = a.read_bits + bits;
}

void forget_shadow(Allocation& a) {
    if (!a.shadow) return;
    size_t bytes = a.end - a.base;
    munmap(a.shadow, (bytes / 4 + 2) * sizeof(ShadowWord));
    munmap(a.read_bits, 2 * (bytes / 8 + 1));
    a.shadow = nullptr;
}

ShadowWord* shared_shadow(Worker& w) {
    if (!w.shadow) w.shadow = static_cast<ShadowWord*>(pages(ARENA_BYTES / 4 * sizeof(ShadowWord)));
    return w.shadow;
}

void mark_initialised(uintptr_t address, size_t bytes) {
    uintptr_t offset = address - heap_base;
    Allocation* a = heap_base && offset < HEAP_BYTES ? &owner_of(offset) : symbol_at(address);
    if (!a || a->initialised || !(options & RACES)) return;
    if (address <= a->low && address + bytes >= a->high) {
        a->initialised = true;
        return;
    }
    if (!a->shadow) make_shadow(*a);
    for (uintptr_t b = address - a->base; b < address - a->base + bytes; b++) a->shadow[b / 4].init |= 1 << b % 4;
}
}  // namespace __ok

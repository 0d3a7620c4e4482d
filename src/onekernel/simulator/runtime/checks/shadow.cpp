#include "shadow.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "../report/findings.h"

namespace __ok {
static size_t mapped = 0;

// Of what the process may have (RLIMIT_DATA) a fourth stays for the program itself.
static bool has_room(size_t bytes) {
    rlimit data{};
    if (getrlimit(RLIMIT_DATA, &data) || data.rlim_cur == RLIM_INFINITY) return true;
    return mapped + bytes <= data.rlim_cur / 4 * 3;
}

static void* pages(size_t bytes) {
    void* p = has_room(bytes) ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
    if (p == MAP_FAILED) return nullptr;
    mapped += bytes;
    return p;
}
static void give_back(void* p, size_t bytes) {
    if (!p) return;
    munmap(p, bytes);
    mapped -= bytes;
}

static size_t shadow_bytes(const Allocation& a) { return ((a.end - a.base) / 4 + 2) * sizeof(ShadowWord); }
static size_t bits_bytes(const Allocation& a) { return (a.end - a.base) / 8 + 1; }

bool make_shadow(Allocation& a) {
    if (a.unchecked) return false;
    a.shadow = static_cast<ShadowWord*>(pages(shadow_bytes(a)));
    a.read_bits = a.shadow ? static_cast<uint8_t*>(pages(2 * bits_bytes(a))) : nullptr;
    if (!a.read_bits) {
        forget_shadow(a);
        a.unchecked = true;
        Finding("unchecked-memory", static_cast<uint64_t>(&a - allocations)).form("buffer").at(Site(a.made_file, a.made_line))
            .array("variable", a.name).number("bytes", static_cast<long long>(a.end - a.base)).add();
        return false;
    }
    a.write_bits = a.read_bits + bits_bytes(a);
    madvise(a.shadow, shadow_bytes(a), MADV_HUGEPAGE);
    return true;
}

void forget_shadow(Allocation& a) {
    give_back(a.shadow, shadow_bytes(a));
    give_back(a.read_bits, 2 * bits_bytes(a));
    a.shadow = nullptr;
    a.read_bits = a.write_bits = nullptr;
}

ShadowWord* shared_shadow(Worker& w) {
    if (!w.shadow) w.shadow = static_cast<ShadowWord*>(pages(ARENA_BYTES / 4 * sizeof(ShadowWord)));
    if (!w.shadow) Finding("unchecked-memory", ~uint64_t(0)).form("shared").at(w.launch->site->at).add();
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
    if (!a->shadow && !make_shadow(*a)) return;
    for (uintptr_t b = address - a->base; b < address - a->base + bytes; b++) a->shadow[b / 4].init |= 1 << b % 4;
}
}  // namespace __ok

// The variables of the file that device code may touch: __device__, __constant__, __managed__.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "host_view.h"
#include "memory.h"

namespace __ok {
uintptr_t symbols_low = 0, symbols_high = 0;
static std::vector<Allocation*> symbols;
constexpr uintptr_t A_FEW = 64;

// One that is const, too, lies where nothing may be written; the device's image of it is swapped in, and a copy may change it.
static void make_writable(uintptr_t address, size_t bytes) {
    const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), from = address / page * page;
    mprotect(reinterpret_cast<void*>(from), address + bytes - from, PROT_READ | PROT_WRITE);
}

void add_symbol(const char* name, uintptr_t address, size_t bytes, bool of_both) {
    if (allocation_count >= MAX_ALLOCATIONS || is_symbol(address, bytes)) return;  // a file that is loaded again tells them again
    Allocation& a = allocations[allocation_count++];
    a = Allocation();
    a.item = 1;
    a.base = address & ~uintptr_t(3);
    a.low = address;
    a.high = a.end = address + bytes;
    a.live = a.initialised = a.symbol = true;
    strncpy(a.name, name, sizeof a.name - 1);
    a.of_both = of_both;
    make_writable(address, bytes);
    if (!of_both) two_images(a);
    symbols.push_back(&a);
    std::sort(symbols.begin(), symbols.end(), [](auto* x, auto* y) { return x->base < y->base; });
}

Allocation* symbol_at(uintptr_t address) {
    auto after = std::upper_bound(symbols.begin(), symbols.end(), address,
                                  [](uintptr_t a, const Allocation* s) { return a < s->low; });
    if (after == symbols.begin()) return nullptr;
    Allocation* s = *(after - 1);
    return address < s->high ? s : nullptr;
}

const Allocation* symbol_beside(uintptr_t address, int bytes, bool writes) {
    auto after = std::upper_bound(symbols.begin(), symbols.end(), address,
                                  [](uintptr_t a, const Allocation* s) { return a < s->low; });
    const Allocation* before = after == symbols.begin() ? nullptr : *(after - 1);
    const Allocation* next = after == symbols.end() ? nullptr : *after;
    if (before && address < before->high) return address + bytes <= before->high ? nullptr : before;
    const bool in_gap = before && address < before->high + SYMBOL_GAP;
    // What the host has in front of it a kernel may read, where it is constant.
    if (next && next->low - address < (in_gap ? address - before->high : writes ? A_FEW : 0)) return next;
    return in_gap ? before : nullptr;
}

bool is_symbol(uintptr_t address, size_t bytes) {
    const Allocation* s = symbol_at(address);
    return s && address + bytes <= s->high;
}
}  // namespace __ok

// The cells of each allocation and arena, and the variables of the file that device code may touch.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "memory.h"
#include "race.h"

namespace __ok {
static std::vector<Allocation*> symbols;

static void* pages(size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void make_cells(Allocation& a) {
    size_t bytes = a.end - a.base, bits = bytes / 8 + 1;
    a.cells = static_cast<Cell*>(pages((bytes / 4 + 2) * sizeof(Cell)));
    madvise(a.cells, (bytes / 4 + 2) * sizeof(Cell), MADV_HUGEPAGE);
    a.read_bits = static_cast<uint8_t*>(pages(2 * bits));
    a.write_bits = a.read_bits + bits;
}

void forget_cells(Allocation& a) {
    if (!a.cells) return;
    size_t bytes = a.end - a.base;
    munmap(a.cells, (bytes / 4 + 2) * sizeof(Cell));
    munmap(a.read_bits, 2 * (bytes / 8 + 1));
    a.cells = nullptr;
}

Cell* shared_cells(Worker& w) {
    if (!w.cells) w.cells = static_cast<Cell*>(pages(ARENA_BYTES / 4 * sizeof(Cell)));
    return w.cells;
}

void mark_initialised(uintptr_t address, size_t bytes) {
    uintptr_t offset = address - heap_base;
    Allocation* a = heap_base && offset < HEAP_BYTES ? &owner_of(offset) : symbol_at(address);
    if (!a || a->initialised || !(options & RACES)) return;
    if (address <= a->low && address + bytes >= a->high) {
        a->initialised = true;
        return;
    }
    if (!a->cells) make_cells(*a);
    for (uintptr_t b = address - a->base; b < address - a->base + bytes; b++) a->cells[b / 4].init |= 1 << b % 4;
}

void add_symbol(const char* name, uintptr_t address, size_t bytes) {
    if (allocation_count >= MAX_ALLOCATIONS) return;
    Allocation& a = allocations[allocation_count++];
    a = Allocation();
    a.item = 1;
    a.base = address & ~uintptr_t(3);
    a.low = address;
    a.high = a.end = address + bytes;
    a.live = a.initialised = a.symbol = true;
    strncpy(a.name, name, sizeof a.name - 1);
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

bool is_symbol(uintptr_t address, size_t bytes) {
    const Allocation* s = symbol_at(address);
    return s && address + bytes <= s->high;
}
}  // namespace __ok

// The variables of the file that device code may touch: __device__, __constant__, __managed__.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "../report/findings.h"
#include "host_view.h"
#include "memory.h"

namespace __ok {
uintptr_t symbols_low = 0, symbols_high = 0;
static std::vector<Allocation*> symbols;
// Of a constant that begins without a value: which of its bytes have been given one, and the last copy that did.
struct Given {
    std::vector<bool> bytes;
    Site at{nullptr, 0};
    size_t from = 0, count = 0;
    bool again = false;  // it has come over bytes that had one
};
static std::map<const Allocation*, Given> given;
constexpr uintptr_t A_FEW = 64;

// One that is const, too, lies where nothing may be written; the device's image of it is swapped in, and a copy may change it.
static void make_writable(uintptr_t address, size_t bytes) {
    const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), from = address / page * page;
    mprotect(reinterpret_cast<void*>(from), address + bytes - from, PROT_READ | PROT_WRITE);
}

void add_symbol(const char* name, uintptr_t address, size_t bytes, SymbolKind kind) {
    if (allocation_count >= MAX_ALLOCATIONS || is_symbol(address, bytes)) return;  // a file that is loaded again tells them again
    Allocation& a = allocations[allocation_count++];
    a = Allocation();
    a.item = 1;
    a.base = address & ~uintptr_t(3);
    a.low = address;
    a.high = a.end = address + bytes;
    a.live = a.initialised = a.symbol = true;
    strncpy(a.name, name, sizeof a.name - 1);
    a.of_both = kind == OF_BOTH;
    const char* first = reinterpret_cast<const char*>(address);
    a.unset = kind == UNSET && std::all_of(first, first + bytes, [](char c) { return !c; });  // no constructor has been there
    make_writable(address, bytes);
    if (!a.of_both) two_images(a);
    symbols.push_back(&a);
    std::sort(symbols.begin(), symbols.end(), [](auto* x, auto* y) { return x->base < y->base; });
}

void symbol_given(uintptr_t address, size_t bytes, Site at) {
    Allocation* a = symbol_at(address);
    if (!a || !a->unset) return;
    Given& g = given[a];
    g.bytes.resize(a->high - a->low);
    g.at = at;
    g.from = address - a->low;
    g.count = std::min(bytes, a->high - address);
    const auto begin = g.bytes.begin() + static_cast<std::ptrdiff_t>(g.from), end = begin + static_cast<std::ptrdiff_t>(g.count);
    g.again = std::find(begin, end, true) != end;
    std::fill(begin, end, true);
    a->unset = std::find(g.bytes.begin(), g.bytes.end(), false) != g.bytes.end();
}

void tell_unset(const Allocation& a, uintptr_t address, int bytes, uintptr_t pc) {
    const auto found = given.find(&a);
    const size_t at = address - a.low;
    const Given* g = found == given.end() ? nullptr : &found->second;
    for (size_t i = 0; g && i < static_cast<size_t>(bytes); i++)
        if (!g->bytes[at + i]) break;
        else if (i + 1 == static_cast<size_t>(bytes)) return;
    Finding f("unset-constant", static_cast<uint64_t>(&a - allocations));
    f.form(g ? "part" : "never").code_at(pc).here().array("variable", a.name).number("index", static_cast<long long>(at) / bytes)
        .number("size", static_cast<long long>(a.high - a.low) / bytes).number("distance", 0).number("last", 0)
        .number("held", static_cast<long long>(a.high - a.low)).number("offset", static_cast<long long>(at)).number("bytes", bytes);
    if (g)
        f.other_at(g->at).number("count", static_cast<long long>(g->count)).number("from", static_cast<long long>(g->from))
            .number("again", g->again);
    f.add();
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

bool symbol_has_extent(long long elements) {
    constexpr long long WIDEST = 16;  // bytes of an element
    return std::any_of(symbols.begin(), symbols.end(), [=](const Allocation* s) {
        const long long bytes = static_cast<long long>(s->high - s->low), item = bytes / elements;
        return item * elements == bytes && item <= WIDEST && !(item & (item - 1));
    });
}
}  // namespace __ok

// Tells: unwritten-copy
// Tests: test_programs.py
#include "unwritten.h"

#include <algorithm>

#include "../machine/less.h"
#include "../machine/program.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "../shadow/shadow_line.h"

namespace __ok {
// A shorter stretch may be the padding of a struct, or a member that nobody uses.
constexpr size_t SHORTEST = 32;

namespace {
struct Stretches {
    size_t first = 0, bytes = 0;  // where the first begins, and how much all are together
    void add(size_t begin, size_t end, size_t least) {
        if (end - begin < least) return;
        if (!bytes) first = begin;
        bytes += end - begin;
    }
};

// The stretches from `begin` up to `end`, both from the allocation's base, that nobody has written.
Stretches unwritten(const Allocation& a, size_t begin, size_t end) {
    Stretches found;
    const size_t least = std::min(SHORTEST, end - begin);
    if (!a.shadow) {  // no kernel has touched it
        found.add(begin, end, least);
        return found;
    }
    size_t open = end;  // where the stretch that goes on began; `end`: none does
    for (size_t b = begin; b < end;) {
        const ShadowLine& line = a.lines[b / LINE_BYTES];
        const bool whole = b % LINE_BYTES == 0 && b + LINE_BYTES <= end && !line.in_words;
        const uint64_t all = line.init[0] & line.init[1], any = line.init[0] | line.init[1];
        const bool alike = whole && (!any || all == ~uint64_t(0));
        const bool written = alike ? any : is_initialised(a, b);
        if (written && open < end) {
            found.add(open, b, least);
            open = end;
        }
        if (!written && open == end) open = b;
        b += alike ? LINE_BYTES : 1;
    }
    if (open < end) found.add(open, end, least);
    return found;
}
}  // namespace

void tell_unwritten(uintptr_t from, size_t bytes, Site at) {
    const uintptr_t offset = from - heap_base;
    if (!is_program || !(options & RACES) || options & SPARSE || checks_less || !heap_base || offset >= HEAP_BYTES) return;
    const Allocation& a = owner_of(offset);
    // What no kernel was given is copied for the sake of copying; what the host may write itself is not followed.
    if (!a.live || !a.given || a.initialised || a.unchecked || a.managed || a.pinned || a.of_both || !a.item) return;
    const Stretches found = unwritten(a, from - a.base, from - a.base + bytes);
    if (!found.bytes) return;
    Finding("unwritten-copy", uint64_t(at.line), static_cast<uint64_t>(&a - allocations))
        .form(found.bytes == bytes ? "whole" : "part").at(at).array("variable", name_of(a))
        .number("count", static_cast<long long>(found.bytes) / a.item).number("of", static_cast<long long>(bytes) / a.item)
        .number("index", static_cast<long long>(found.first - (a.low - a.base)) / a.item).add();
}
}  // namespace __ok

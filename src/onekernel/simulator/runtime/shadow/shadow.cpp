#include "shadow.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "../report/findings.h"
#include "shadow_line.h"

namespace __ok {
static size_t mapped = 0;

// Of what the process may have (RLIMIT_DATA) a fourth stays for the program itself.
static bool has_room(size_t bytes) {
    rlimit data{};
    if (getrlimit(RLIMIT_DATA, &data) || data.rlim_cur == RLIM_INFINITY) return true;
    return mapped + bytes <= data.rlim_cur / 4 * 3;
}

void* shadow_pages(size_t bytes) {
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

static size_t lines_of(const Allocation& a) { return (a.end - a.base) / LINE_BYTES + 1; }
static size_t shadow_bytes(const Allocation& a) { return lines_of(a) * LINE_WORDS * sizeof(ShadowWord); }
static size_t bits_bytes(const Allocation& a) { return (a.end - a.base) / 8 + 1; }

bool make_shadow(Allocation& a) {
    if (a.unchecked) return false;
    a.lines = static_cast<ShadowLine*>(shadow_pages(lines_of(a) * sizeof(ShadowLine)));
    // Addresses alone: memory is taken for lines that are turned into their words.
    a.shadow = a.lines ? static_cast<ShadowWord*>(shadow_pages(shadow_bytes(a))) : nullptr;
    a.read_bits = a.shadow ? static_cast<uint8_t*>(shadow_pages(2 * bits_bytes(a))) : nullptr;
    if (!a.read_bits) {
        forget_shadow(a);
        a.unchecked = true;
        Finding("unchecked-memory", static_cast<uint64_t>(&a - allocations)).form("buffer").at(Site(a.made_file, a.made_line))
            .array("variable", name_of(a)).number("bytes", static_cast<long long>(a.end - a.base)).add();
        return false;
    }
    a.write_bits = a.read_bits + bits_bytes(a);
    madvise(a.lines, lines_of(a) * sizeof(ShadowLine), MADV_HUGEPAGE);
    if (bits_bytes(a) > size_t(1) << 20) madvise(a.read_bits, 2 * bits_bytes(a), MADV_HUGEPAGE);
    return true;
}

// The bits of gigabytes that a launcher keeps from call to call are given back: to write zeros would take them all.
constexpr size_t MANY_BITS = size_t(64) << 20;

void clear_touched_bytes(Allocation& a) {
    if (a.read_bits && bits_bytes(a) > MANY_BITS) madvise(a.read_bits, 2 * bits_bytes(a), MADV_DONTNEED);
    else if (a.read_bits) memset(a.read_bits, 0, 2 * bits_bytes(a));
    else if ((a.read_bits = static_cast<uint8_t*>(shadow_pages(2 * bits_bytes(a))))) a.write_bits = a.read_bits + bits_bytes(a);
}

uint64_t touched_bytes(const Allocation& a, const uint8_t* bits) {
    uint64_t count = 0, word;
    size_t i = 0;
    for (; i + sizeof word <= bits_bytes(a); i += sizeof word) {
        memcpy(&word, bits + i, sizeof word);
        count += static_cast<uint64_t>(__builtin_popcountll(word));
    }
    for (; i < bits_bytes(a); i++) count += static_cast<uint64_t>(__builtin_popcount(bits[i]));
    return count;
}

void forget_shadow(Allocation& a) {
    give_back(a.lines, lines_of(a) * sizeof(ShadowLine));
    give_back(a.shadow, shadow_bytes(a));
    give_back(a.read_bits, 2 * bits_bytes(a));
    a.lines = nullptr;
    a.shadow = nullptr;
    a.read_bits = a.write_bits = nullptr;
}

ShadowWord* shared_shadow(Worker& w) {
    if (!w.shadow) w.shadow = static_cast<ShadowWord*>(shadow_pages(ARENA_BYTES / 4 * sizeof(ShadowWord)));
    if (!w.shadow) Finding("unchecked-memory", ~uint64_t(0)).form("shared").at(w.launch->site->at).add();
    return w.shadow;
}

void mark_lines(Allocation& a, uintptr_t offset, size_t bytes) {
    if (!a.shadow && !make_shadow(a)) return;
    for (size_t k = offset / LINE_BYTES; k < std::min((offset + bytes) / LINE_BYTES, lines_of(a)); k++) {
        ShadowLine& line = a.lines[k];
        line.init[0] = line.init[1] = ~uint64_t(0);
        if (line.in_words) for (int i = 0; i < LINE_WORDS; i++) a.shadow[k * LINE_WORDS + i].init = 15;
    }
}

bool is_initialised(const Allocation& a, uintptr_t offset) {
    if (a.initialised) return true;
    if (a.shadow) {
        const ShadowLine& line = a.lines[offset / LINE_BYTES];
        const unsigned bit = line.in_words ? a.shadow[offset / 4].init >> offset % 4 & 1 : line.init[offset % LINE_BYTES / 64] >> offset % 64 & 1;
        if (bit) return true;
    }
    return a.managed && host_has_written(a.base + offset);  // last: the system is asked
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
    for (uintptr_t b = address - a->base; b < address - a->base + bytes; b++) {
        ShadowLine& line = a->lines[b / LINE_BYTES];
        line.init[b % LINE_BYTES / 64] |= uint64_t(1) << b % 64;
        if (line.in_words) a->shadow[b / 4].init |= 1 << b % 4;
    }
}
}  // namespace __ok

// Tells: nothing: a launch's bytes by buffer
// Tests: test_counts.py
#include "traffic.h"

#include <cstdlib>
#include <cstring>

#include "../shadow/shadow.h"
#include "../shadow/touched.h"
#include "../memory/access.h"
#include "../memory/memory.h"
#include "counters.h"
#include "lockstep.h"

namespace __ok {
struct Moved {
    uint64_t loaded[MAX_ALLOCATIONS], stored[MAX_ALLOCATIONS], updated[MAX_ALLOCATIONS];
};

// Pages that no launch has touched take no room.
Moved* make_moved() { return static_cast<Moved*>(calloc(1, sizeof(Moved))); }
void start_moved(Moved& m) {
    memset(m.loaded, 0, sizeof m.loaded[0] * static_cast<size_t>(allocation_count));
    memset(m.stored, 0, sizeof m.stored[0] * static_cast<size_t>(allocation_count));
    memset(m.updated, 0, sizeof m.updated[0] * static_cast<size_t>(allocation_count));
}

void TrafficChecker::launch_started(const Launch&) {
    if (!(options & COUNTS) || options & RACES) return;
    for (int i = 1; i < allocation_count; i++)
        if (allocations[i].live && !allocations[i].symbol) clear_touched_bytes(allocations[i]);
}

// The bits of an access lie in one byte, or in whole ones.
static void mark(uint8_t* bits, uintptr_t offset, int bytes) {
    for (; bytes > 0; bytes -= 8, offset += 8) {
        const unsigned mask = bytes >= 8 ? 255u : ((1u << bytes) - 1) << offset % 8;
        uint8_t* at = bits + offset / 8;
        if ((__atomic_load_n(at, __ATOMIC_RELAXED) & mask) != (mask & 255)) __atomic_fetch_or(at, static_cast<uint8_t>(mask), __ATOMIC_RELAXED);
        if (mask >> 8) __atomic_fetch_or(at + 1, static_cast<uint8_t>(mask >> 8), __ATOMIC_RELAXED);
    }
}

static void note_moved(Worker& w, Allocation& a, uintptr_t address, int bytes, unsigned flags) {
    if (!a.read_bits) return;
    if ((flags & (ATOMIC | VOLATILE)) == ATOMIC) {
        w.counters->moved->updated[&a - allocations] += static_cast<uint64_t>(bytes);
        return;
    }
    const bool writes = flags & WRITES;
    (writes ? w.counters->moved->stored : w.counters->moved->loaded)[&a - allocations] += static_cast<uint64_t>(bytes);
    mark(writes ? a.write_bits : a.read_bits, address - a.base, bytes);
}

static void add_moved(const Moved& m) {
    for (int i = 1; i < allocation_count; i++) {
        allocations[i].loaded += m.loaded[i];
        allocations[i].stored += m.stored[i];
        allocations[i].updated += m.updated[i];
    }
}

void TrafficChecker::launch_counted(const Launch& launch) {
    if (!(options & COUNTS) || options & RACES) return;
    each_counting(launch, [](Worker& w) { add_moved(*w.counters->moved); });
    for (int i = 1; i < allocation_count; i++) {
        Allocation& a = allocations[i];
        if (!a.live || !a.read_bits || !(a.loaded | a.stored)) continue;
        a.unique_loaded = touched_bytes(a, a.read_bits);
        a.unique_stored = touched_bytes(a, a.write_bits);
    }
}

// In ways that the bytes above do not count. Of several cores, where bounds alone are checked.
static inline void touch(Allocation& a, unsigned flags) {
    const uint8_t as = !(flags & WRITES) ? READ : flags & ATOMIC ? READ | WRITTEN : WRITTEN;
    if ((__atomic_load_n(&a.touched, __ATOMIC_RELAXED) & as) != as) __atomic_fetch_or(&a.touched, as, __ATOMIC_RELAXED);
}

inline __attribute__((always_inline)) bool TrafficChecker::access(Worker& w, Access& now) {
    if (now.space != Space::GLOBAL && now.space != Space::VARIABLE) return true;
    Allocation& a = *now.buffer;
    const uintptr_t offset = now.address - a.base;
    if (now.space == Space::VARIABLE) {
        touch(a, now.flags);
    } else if (!(now.on & RACES)) {
        touch(a, now.flags);
        if (now.on & COUNTS) note_moved(w, a, now.address, now.bytes, now.flags);
    } else if (now.late) {
        a.loaded += static_cast<uint64_t>(now.bytes);
        a.depends = true;
    } else if (__builtin_expect(!a.shadow, 0)) {
        touch(a, now.flags);
    } else if (now.is_atomic()) {
        touch(a, now.flags);
        a.updated += static_cast<uint64_t>(now.bytes);
    } else if (now.writes()) {
        a.stored += static_cast<uint64_t>(now.bytes);
        mark_bits(a.write_bits, offset, now.bytes, a.unique_stored);
    } else {
        a.loaded += static_cast<uint64_t>(now.bytes);
        if (!a.depends) a.depends = !a.stored || !all_marked(a.write_bits, offset, now.bytes);
        mark_bits(a.read_bits, offset, now.bytes, a.unique_loaded);
    }
    return true;
}
}  // namespace __ok

// Whether an access meets another that no order keeps apart from it, and whether it reads what nobody wrote.
//
// Tells: race-shared, race-global, uninitialised-read, written-read-only
// Tests: race_*, uninitialised_*, ldg_*
#include "races.h"

#include <cstring>

#include "../machine/resident_blocks.h"
#include "../report/findings.h"
#include "lockstep.h"
#include "order.h"
#include "../shadow/plain_words.h"
#include "race_report.h"
#include "../shadow/shadow_line.h"

namespace __ok {
namespace {
struct Pending {
    bool live = false;
    uintptr_t address;
    int bytes;
    uint64_t before;
    Place place;
    WordAccess previous, now;  // two writes
};
Pending pending;
unsigned race_serial = 0, first_serial = 0;  // first_serial: when the launch began

uint64_t value_at(uintptr_t address, int bytes) {
    uint64_t v = 0;
    memcpy(&v, reinterpret_cast<void*>(address), bytes);
    return v;
}

// `read_before`: where the one that writes has read the word since the last barrier, 0 if it has not. Whoever does as the
// other did and only then writes comes after the read; a value that is read by mistake is written first.
// The accesses come by value: whoever calls keeps them in registers.
[[gnu::noinline]] void meet(Worker& w, const Place& place, uintptr_t address, int bytes, const WordAccess p, const WordAccess now, uint32_t read_before = 0) {
    if (!p.block || !(p.bytes & now.bytes) || (p.flags & now.flags & ATOMIC) || ordered(w, p, now.thread())) return;
    bool both_write = (p.flags & WRITES) && (now.flags & WRITES);
    if (!both_write && (p.flags | now.flags) & COMPARES) return;
    if (both_write && !((p.flags | now.flags) & ATOMIC)) {
        // All threads that write the same value do no harm: compare once the store has happened.
        if (!pending.live) pending = {true, address, bytes, value_at(address, bytes), place, p, now};
        return;
    }
    report_race(w, place, address, p, now, read_before);
}

// Atomics of two blocks of which one is atomic in its own block alone.
[[gnu::noinline]] void meet_beyond_block(Worker& w, const Place& place, uintptr_t address, const WordAccess p, const WordAccess now) {
    if (p.block && p.block != now.block && p.bytes & now.bytes && !ordered(w, p, now.thread())) report_race(w, place, address, p, now, 0);
}
}  // namespace

[[gnu::noinline]] static void settle_pending(Worker& w) {
    pending.live = false;
    if (value_at(pending.address, pending.bytes) != pending.before)
        report_race(w, pending.place, pending.address, pending.previous, pending.now, 0);
}

inline bool is_unsettled() { return __builtin_expect(pending.live, 0); }
inline void settle(Worker& w) {
    if (is_unsettled()) settle_pending(w);
}

// One word of an access, in its shadow `c`. `now.bytes` says which of its four bytes, the first of which lies at `at`.
template <class Word>
static inline __attribute__((always_inline)) void check_word(Worker& w, const Place& place, Word& c, uintptr_t at, int bytes,
                                                             const WordAccess now, uintptr_t pc) {
    // Most earlier accesses are ordered by the barrier or are the thread's own: seen at once, without a call.
    auto harmless = [&](const WordAccess p) {
        return !p.block || (p.block == now.block && (p.thread() == now.thread() || p.time < w.barrier_time));
    };
    bool atomic = now.flags & ATOMIC;
    if ((c.initialised() & now.bytes) != now.bytes && (!(now.flags & WRITES) || (now.flags & (ATOMIC | VOLATILE)) == ATOMIC) &&
        !(place.global && place.global->initialised))
        report_uninitialised(place, at, pc);
    const WordAccess writer = c.get(WRITER), last_atomic = c.get(ATOMICS), reader = c.get(READER);
    if (!harmless(writer)) meet(w, place, at, bytes, writer, now, c.read_before());
    if (!atomic && !harmless(last_atomic)) meet(w, place, at, bytes, last_atomic, now);
    if (atomic && (now.flags | last_atomic.flags) & OF_BLOCK) meet_beyond_block(w, place, at, last_atomic, now);
    if (now.flags & WRITES) {
        const WordAccess reader2 = c.get(READER2);
        auto own = [&](const WordAccess p) { return p.block == now.block && p.thread() == now.thread() && p.time >= w.barrier_time; };
        uint32_t read_before = own(reader) ? reader.pc() : own(reader2) ? reader2.pc() : 0;
        if (!harmless(reader)) meet(w, place, at, bytes, reader, now, read_before);
        if (!harmless(reader2)) meet(w, place, at, bytes, reader2, now, read_before);
        c.wrote(now.bytes);
        if (atomic) c.put(ATOMICS, now);
        else c.put_writer(now, read_before);
        return;
    }
    if (atomic) {
        if (!last_atomic.block || !(last_atomic.flags & WRITES)) c.put(ATOMICS, now);
        return;
    }
    bool first = harmless(reader);
    const WordAccess r = first ? reader : c.get(READER2);
    WordAccess next = now;
    if (r.block == now.block && r.thread() == now.thread() && r.time == now.time) next.bytes |= r.bytes;
    c.put(first ? READER : READER2, next);
}

inline __attribute__((always_inline)) WordAccess this_access(Worker& w, unsigned flags, uintptr_t pc) {
    return {static_cast<uint32_t>(w.block + 1), w.time, WordAccess::at(pc - text_base(), w.rank), 15, static_cast<uint8_t>(flags)};
}

static inline __attribute__((always_inline)) void check_word_of_block(Worker& w, const Place& place, ShadowWord* shadow, uintptr_t word, uintptr_t at,
                                                                      int bytes, const WordAccess now, uintptr_t pc) {
    ShadowWord& c = shadow[word];
    uint32_t owner = place.owner ? place.owner : now.block;
    if (w.plain && stays_plain(w, static_cast<uint32_t>(word), c, now, race_serial)) return;
    if (c.launch != race_serial || c.init_block != owner) {
        if (c.init_block != owner || c.launch < first_serial) {
            c.init_block = owner;
            c.init = 0;
        }
        c.renew(race_serial);
    }
    check_word(w, place, c, at, bytes, now, pc);
}

// A plain read of a whole word in which no earlier access meets it: put down field by field, as check_word would after it has put
// each of those accesses together.
static inline __attribute__((always_inline)) bool reads_in_order(const Worker& w, ShadowWord& c, bool initialised, const WordAccess now) {
    if (now.flags || now.bytes != 15 || !(initialised || c.init == 15)) return false;
    auto harmless = [&](const KeptAccess& p) __attribute__((always_inline)) {
        const bool own = (p.where ^ now.where) % (1 << WordAccess::THREAD_BITS) == 0;
        return !p.block || (p.block == now.block && (own || p.time < w.barrier_time));
    };
    if (c.last[ATOMICS].block || !harmless(c.last[WRITER])) return false;
    c.put(harmless(c.last[READER]) ? READER : READER2, now);
    return true;
}

inline __attribute__((always_inline)) ShadowLine& line_of(const Allocation& a, uintptr_t word) {
    ShadowLine& line = a.lines[word / LINE_WORDS];
    if (line.launch != race_serial) renew_line(line, a.shadow + word / LINE_WORDS * LINE_WORDS, race_serial);
    return line;
}

WordAccess reader_of(const Allocation& a, uintptr_t word) {
    ShadowLine& line = line_of(a, word);
    if (line.in_words) return a.shadow[word].get(READER);
    return LineWord(line, nullptr, static_cast<int>(word % LINE_WORDS)).get(READER);
}

static inline __attribute__((always_inline)) void check_global_word(Worker& w, const Place& place, uintptr_t word, uintptr_t at, int bytes,
                                                                    const WordAccess now, uintptr_t pc) {
    ShadowLine& line = line_of(*place.global, word);
    ShadowWord* words = place.global->shadow + word / LINE_WORDS * LINE_WORDS;
    int i = static_cast<int>(word % LINE_WORDS);
    if (now.flags & ATOMIC && !line.in_words) turn_into_words(line, words);
    if (line.in_words) {
        if (!reads_in_order(w, words[i], place.global->initialised, now)) check_word(w, place, words[i], at, bytes, now, pc);
    } else if (!(now.flags & WRITES || place.global->initialised) || !line.goes_on(i, 1, now)) {
        LineWord c(line, words, i);
        check_word(w, place, c, at, bytes, now, pc);
    }
}

// Several whole words of an access that lie in one line, if nobody has touched them.
static inline bool go_on(const Allocation& a, uintptr_t word, int count, const WordAccess now) {
    ShadowLine& line = a.lines[word / LINE_WORDS];
    return line.launch == race_serial && !line.in_words && (now.flags & WRITES || a.initialised) &&
           line.goes_on(static_cast<int>(word % LINE_WORDS), count, now);
}

// Calls check(word, at, bytes, access) for each word of an access, with the part of it that lies there.
template <class F>
static inline __attribute__((always_inline)) void each_word(Worker& w, uintptr_t address, uintptr_t base, int bytes, unsigned flags,
                                                            uintptr_t pc, F check) {
    settle(w);
    WordAccess now = this_access(w, flags, pc);
    uintptr_t offset = address - base, end = offset + bytes;
    if (bytes == 4 && offset % 4 == 0) {
        check(offset / 4, address, 4, now);
        return;
    }
    for (uintptr_t word = offset / 4; word * 4 < end; word++) {
        int from = word * 4 < offset ? static_cast<int>(offset - word * 4) : 0;
        int to = word * 4 + 4 > end ? static_cast<int>(end - word * 4) : 4;
        WordAccess part = now;
        part.bytes = static_cast<uint8_t>((1 << to) - (1 << from));
        check(word, base + word * 4 + from, to - from, part);
    }
}

void check_global(Worker& w, Allocation& a, uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    Place place{&a, nullptr, 0};
    if (bytes > 4 && !(address % bytes) && !(a.base % bytes)) {
        settle(w);
        if (go_on(a, (address - a.base) / 4, bytes / 4, this_access(w, flags, pc))) return;
    }
    each_word(w, address, a.base, bytes, flags, pc, [&](uintptr_t word, uintptr_t at, int part, const WordAccess now) __attribute__((always_inline)) {
        check_global_word(w, place, word, at, part, now, pc);
    });
}

void check_shared(Worker& w, const Place& place, ShadowWord* shadow, uintptr_t address, uintptr_t base, int bytes, unsigned flags,
                  uintptr_t pc) {
    each_word(w, address, base, bytes, flags, pc, [&](uintptr_t word, uintptr_t at, int part, const WordAccess now) __attribute__((always_inline)) {
        check_word_of_block(w, place, shadow, word, at, part, now, pc);
    });
}

inline __attribute__((always_inline)) void check_shared_word(Worker& w, const Place& place, ShadowWord* shadow, uintptr_t address,
                                                             unsigned flags, uintptr_t pc) {
    settle(w);
    check_word_of_block(w, place, shadow, place.shared_offset / 4, address, 4, this_access(w, flags, pc), pc);
}

void RacesChecker::launch_started(const Launch&) {
    first_serial = ++race_serial;
    start_order();
    pending.live = false;
    const bool of_blocks_alone = options & SPARSE;  // some blocks run: what the others write nobody knows
    for (int i = 1; i < allocation_count; i++) {
        Allocation& a = allocations[i];
        a.reads_late = false;
        if (!a.live || of_blocks_alone) continue;
        if (!a.shadow && !make_shadow(a)) continue;
        clear_touched_bytes(a);
        a.reads_late = a.initialised;
    }
}

// What __ldg reads must stand there unchanged for the whole launch: it may come from a cache that knows of no store.
extern "C" void ok_read_only(const void* pointer, int bytes, Site at) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer), offset = address - heap_base;
    if (!heap_base || offset >= HEAP_BYTES) return;
    Allocation& a = owner_of(offset);
    if (!a.live || !a.lines || address < a.base || address + bytes > a.end) return;
    for (uintptr_t word = (address - a.base) / 4; a.base + word * 4 < address + bytes; word++) {
        ShadowLine& line = a.lines[word / LINE_WORDS];
        if (!touched_in_launch(line.launch)) continue;
        const LineWord in_line(line, a.shadow + word / LINE_WORDS * LINE_WORDS, static_cast<int>(word % LINE_WORDS));
        const WordAccess by = line.in_words ? a.shadow[word].get(WRITER) : in_line.get(WRITER);
        if (by.block) return report_written(Place{&a, nullptr, 0}, a.base + word * 4, by, at);
    }
}

bool touched_in_launch(unsigned serial) { return serial >= first_serial && serial; }

void RacesChecker::barrier_passed(Worker& w) {
    settle(w);
    plain_barrier_passed(w);
}

// All threads of the grid have met: whatever was touched before is ordered before what follows.
void RacesChecker::blocks_passed(Worker&, int level, int, int) { if (level == GRID) race_serial++; }

inline __attribute__((always_inline)) bool RacesChecker::access(Worker& w, Access& a) {
    switch (a.space) {
    case Space::VARIABLE:
        if (a.on & SPARSE) return true;
        if (a.buffer->item == 1) a.buffer->item = a.bytes;  // nobody says the type: its elements are what is accessed at once
        if (a.buffer->shadow || make_shadow(*a.buffer)) check_global(w, *a.buffer, a.address, a.bytes, a.flags, a.pc);
        return true;
    case Space::GLOBAL:
        if (__builtin_expect(a.buffer->shadow && !a.late && !(a.on & SPARSE), 1)) check_global(w, *a.buffer, a.address, a.bytes, a.flags, a.pc);
        return true;
    case Space::SHARED: {
        ShadowWord* shadow = __builtin_expect(w.shadow != nullptr, 1) ? w.shadow : shared_shadow(w);
        if (__builtin_expect(!shadow || a.explained, 0)) return true;
        const Place place{nullptr, a.array(), a.offset};
        if (__builtin_constant_p(a.bytes) && a.bytes == 4 && a.is_aligned()) check_shared_word(w, place, shadow, a.address, a.flags, a.pc);
        else check_shared(w, place, shadow, a.address, reinterpret_cast<uintptr_t>(w.arena), a.bytes, a.flags, a.pc);
        return true;
    }
    case Space::OTHER_BLOCK: {
        const Worker& owner = *w.resident->members[a.member].worker;
        const Place place{nullptr, a.array(), a.offset, static_cast<uint32_t>(owner.block + 1)};
        check_shared(w, place, owner.shadow, a.address, reinterpret_cast<uintptr_t>(owner.arena), a.bytes, a.flags, a.pc);
        return true;
    }
    default: return true;
    }
}

// Most are plain: in shared memory of words that are known and so within bounds, in global memory of words that nobody has
// touched, while their neighbours have been touched alike.
template <int bytes, unsigned flags>
inline __attribute__((always_inline)) bool RacesChecker::settles(Worker& w, Access& a) {
    if (is_unsettled()) return false;
    if (a.space == Space::SHARED) {
        if (bytes < 4 || !w.plain || w.copies_under_way) return false;
        return flags & WRITES ? written_plainly<bytes>(w, a.offset, a.pc) || begun_plainly<bytes>(w, a.offset, a.pc) : read_plainly<bytes>(w, a.offset, a.pc);
    }
    if (!(flags & WRITES) || bytes < 4 || a.buffer->reads_late || !a.buffer->shadow) return false;
    const uintptr_t offset = a.address - a.buffer->base, word = offset / 4;
    if (bytes > 4 && a.buffer->base % bytes) return false;
    ShadowLine& line = a.buffer->lines[word / LINE_WORDS];
    return line.launch == race_serial && !line.in_words && line.goes_on(static_cast<int>(word % LINE_WORDS), bytes / 4, this_access(w, flags, a.pc));
}
}  // namespace __ok

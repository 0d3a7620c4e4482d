// Happens-before by one clock per block. Barriers and warp collectives advance it; a fence followed by an atomic orders
// blocks. But: an order that passes through a third block is not seen.
#include "race.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "coalesce.h"
#include "report.h"
#include "team.h"

namespace __ok {
namespace {
struct Release { uint32_t block, time, barrier_time, full_time; uint16_t thread; };
struct Acquire { uintptr_t address; size_t releases; uint32_t time; uint16_t thread; };

std::unordered_map<uintptr_t, std::vector<Release>> releases;
std::vector<std::vector<Acquire>> acquires(1);  // of the running blocks: one, or a team

struct Pending {
    bool live = false;
    uintptr_t address;
    int bytes;
    uint64_t before;
    Place place;
    Access previous, now;
};
Pending pending;
unsigned race_serial = 0, first_serial = 0;  // first_serial: when the launch began
std::vector<Allocation*> symbols;

uint64_t value_at(uintptr_t address, int bytes) {
    uint64_t v = 0;
    memcpy(&v, reinterpret_cast<void*>(address), bytes);
    return v;
}

}  // namespace

bool ordered_in_block(Worker& w, const Access& p, unsigned rank) {
    if (p.thread == rank || p.time < w.barrier_time) return true;
    if (p.thread / WARP != rank / WARP) return false;
    const Warp& wp = warp_of(w, rank);
    if (p.time < wp.full_time) return true;
    return wp.seen && p.time < wp.seen[p.thread % WARP][rank % WARP];
}

namespace {
bool ordered_by_atomics(Worker& w, const Access& p, unsigned rank) {
    for (const Acquire& q : acquires[w.member]) {
        Access as_access{static_cast<uint32_t>(w.block + 1), q.time, 0, q.thread, 0, 0};
        if (!ordered_in_block(w, as_access, rank)) continue;
        const auto& list = releases[q.address];
        auto r = list.begin();  // blocks that run one after another release in their order
        if (!w.team)
            r = std::lower_bound(r, list.begin() + q.releases, p.block,
                                 [](const Release& a, uint32_t block) { return a.block < block; });
        for (; r != list.begin() + q.releases && (w.team || r->block == p.block); ++r) {
            if (r->block != p.block) continue;
            if (r->thread == p.thread ? p.time <= r->time
                                      : p.time < r->barrier_time ||
                                            (r->thread / WARP == p.thread / WARP && p.time < r->full_time))
                return true;
        }
    }
    return false;
}

bool ordered(Worker& w, const Access& p, unsigned rank) {
    if (p.block == w.block + 1 && ordered_in_block(w, p, rank)) return true;
    if (w.team && ordered_by_team(w, p, rank)) return true;
    return !acquires[w.member].empty() && ordered_by_atomics(w, p, rank);
}

// One number for each variable: an allocation or a shared array.
uint64_t variable_key(const Place& place) {
    return place.global ? static_cast<uint64_t>(place.global - allocations) : ~uint64_t(place.shared ? place.shared->offset : 0);
}

void report_race(Worker& w, const Place& place, uintptr_t address, const Access& p, const Access& now) {
    uint64_t key = variable_key(place);
    if (!first_of(place.global ? "race-global" : "race-shared", key)) return;
    withdraw("uninitialised-read", key);  // read too early, not never written
    Finding f(place.global ? "race-global" : "race-shared");
    f.code_at(code_base() + now.pc).other_code_at(code_base() + p.pc).here();
    bool p_writes = p.flags & WRITES, now_writes = now.flags & WRITES;
    f.text("kind", p_writes && now_writes ? "write-write" : p_writes ? "write-read" : "read-write");
    f.text("scope", p.block == w.block + 1 ? "block" : place.global ? "grid" : "cluster");
    f.text("atomic", p.flags & ATOMIC ? "first" : now.flags & ATOMIC ? "second" : "none");
    if (place.global) {
        f.text("variable", place.global->name);
        f.number("index", static_cast<long long>(address - place.global->low) / place.global->item);
    } else {
        f.text("variable", place.shared ? place.shared->name : "");
        f.number("index", place.shared ? (place.shared_offset - place.shared->offset) / place.shared->item : 0);
    }
    uint3 t = w.launch->index[p.thread];
    uint3 g = w.launch->config.grid;
    uint64_t b = p.block - 1;
    char other[96];
    snprintf(other, sizeof other, "(%u,%u,%u)", t.x, t.y, t.z);
    f.text("other_thread", other);
    snprintf(other, sizeof other, "(%u,%u,%u)", unsigned(b % g.x), unsigned(b / g.x % g.y), unsigned(b / g.x / g.y));
    f.text("other_block", other).add();
}

void meet(Worker& w, const Place& place, uintptr_t address, int bytes, const Access& p, const Access& now) {
    if (!p.block || !(p.bytes & now.bytes) || (p.flags & now.flags & ATOMIC) || ordered(w, p, now.thread)) return;
    bool both_write = (p.flags & WRITES) && (now.flags & WRITES);
    if (both_write && !((p.flags | now.flags) & ATOMIC)) {
        // All threads that write the same value do no harm: compare once the store has happened.
        if (!pending.live) pending = {true, address, bytes, value_at(address, bytes), place, p, now};
        return;
    }
    report_race(w, place, address, p, now);
}
}  // namespace

void settle(Worker& w) {
    if (__builtin_expect(!pending.live, 1)) return;
    pending.live = false;
    if (value_at(pending.address, pending.bytes) != pending.before)
        report_race(w, pending.place, pending.address, pending.previous, pending.now);
}

[[gnu::noinline]] static void report_uninitialised(const Place& place, uintptr_t at, uintptr_t pc) {
    uint64_t key = variable_key(place);
    if (!first_of("uninitialised-read", key)) return;
    Finding f("uninitialised-read", key);
    f.code_at(pc).here().text("space", place.global ? "global" : "shared");
    f.text("variable", place.global ? place.global->name : place.shared ? place.shared->name : "");
    f.number("index", place.global   ? static_cast<long long>(at - place.global->low) / place.global->item
                      : place.shared ? (place.shared_offset - place.shared->offset) / place.shared->item
                                     : 0);
    f.add();
}

// One word of an access. `now.bytes` says which of its four bytes, the first of which lies at `at`.
static inline __attribute__((always_inline)) void check_word(Worker& w, const Place& place, Cell& c, uintptr_t at, int bytes,
                                                             const Access& now, uintptr_t pc) {
    // Most earlier accesses are ordered by the barrier or are the thread's own: seen at once, without a call.
    auto harmless = [&](const Access& p) {
        return !p.block || (p.block == now.block && (p.thread == now.thread || p.time < w.barrier_time));
    };
    uint32_t owner = place.owner ? place.owner : now.block;
    if (c.launch != race_serial || (!place.global && c.init_block != owner)) {
        if (!place.global && (c.init_block != owner || c.launch < first_serial)) {
            c.init_block = owner;
            c.init = 0;
        }
        c.launch = race_serial;
        c.writer.block = c.reader.block = c.reader2.block = 0;
    }
    if ((c.init & now.bytes) != now.bytes && (!(now.flags & WRITES) || (now.flags & (ATOMIC | VOLATILE)) == ATOMIC) &&
        !(place.global && place.global->initialised))
        report_uninitialised(place, at, pc);
    if (!harmless(c.writer)) meet(w, place, at, bytes, c.writer, now);
    if (now.flags & WRITES) {
        if (!harmless(c.reader)) meet(w, place, at, bytes, c.reader, now);
        if (!harmless(c.reader2)) meet(w, place, at, bytes, c.reader2, now);
        c.init |= now.bytes;
        c.writer = now;
        if (!(c.reader.bytes & ~now.bytes)) c.reader.block = 0;
        if (!(c.reader2.bytes & ~now.bytes)) c.reader2.block = 0;
        return;
    }
    Access& r = harmless(c.reader) ? c.reader : c.reader2;
    bool again = r.block == now.block && r.thread == now.thread && r.time == now.time;
    uint8_t had = again ? r.bytes : 0;
    r = now;
    r.bytes |= had;
}

void check_order(Worker& w, const Place& place, Cell* cells, uintptr_t address, uintptr_t base, int bytes, unsigned flags,
                 uintptr_t pc) {
    settle(w);
    Access now{static_cast<uint32_t>(w.block + 1), w.time, static_cast<uint32_t>(pc - code_base()),
               static_cast<uint16_t>(w.rank), 15, static_cast<uint8_t>(flags)};
    uintptr_t offset = address - base, end = offset + bytes;
    if (bytes == 4 && offset % 4 == 0) {
        check_word(w, place, cells[offset / 4], address, 4, now, pc);
        return;
    }
    for (uintptr_t word = offset / 4; word * 4 < end; word++) {
        int from = word * 4 < offset ? static_cast<int>(offset - word * 4) : 0;
        int to = word * 4 + 4 > end ? static_cast<int>(end - word * 4) : 4;
        now.bytes = static_cast<uint8_t>((1 << to) - (1 << from));
        check_word(w, place, cells[word], base + word * 4 + from, to - from, now, pc);
    }
}

void synchronise(Worker& w, uintptr_t address, bool writes) {
    bool release = writes && w.fenced[w.rank];
    if (!release && releases.empty()) return;
    Busy busy;
    auto& list = releases[address];
    uint32_t block = static_cast<uint32_t>(w.block + 1);
    if (!list.empty()) acquires[w.member].push_back({address, list.size(), w.time, static_cast<uint16_t>(w.rank)});
    if (release)
        list.push_back({block, w.time, w.barrier_time, warp_of(w, w.rank).full_time, static_cast<uint16_t>(w.rank)});
}

extern "C" void ok_fence(int, Site) {
    Worker& w = *worker;
    if (w.current) w.fenced[w.rank] = w.time;
}

void start_races() {
    first_serial = ++race_serial;
    releases.clear();
    pending.live = false;
    for (int i = 1; i < allocation_count; i++) {
        Allocation& a = allocations[i];
        if (!a.live) continue;
        if (!a.cells) make_cells(a);
        size_t bits = (a.end - a.base + 7) / 8;
        memset(a.read_bits, 0, bits);
        memset(a.write_bits, 0, bits);
    }
}

void forget_accesses() { race_serial++; }

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

void block_started(Worker& w) {
    if (acquires.size() <= size_t(w.member)) acquires.resize(w.member + 1);
    acquires[w.member].clear();
}

void barrier_passed(Worker& w) {
    if (options & RACES) settle(w);
    if (options & COUNTS) log_block_met(w);
}

void block_ended(Worker& w) {
    if (options & COUNTS) log_block_met(w);
}

void thread_ended(Worker& w) {
    if (options & RACES) settle(w);
}

void warp_met(Worker& w, int warp, unsigned group) {
    Warp& wp = w.warps[warp];
    w.time++;
    if ((group & wp.alive) == wp.alive) {
        wp.full_time = w.time;
    } else if (options & RACES) {
        if (!wp.seen) {
            wp.seen = w.seen[warp];
            memset(wp.seen, 0, sizeof w.seen[warp]);
        }
        for (int x = 0; x < WARP; x++) {
            uint32_t latest = group >> x & 1 ? w.time : 0;
            for (unsigned r = group; r; r &= r - 1) latest = std::max(latest, wp.seen[x][__builtin_ctz(r)]);
            for (unsigned r = group; r; r &= r - 1) wp.seen[x][__builtin_ctz(r)] = latest;
        }
    }
    if (options & COUNTS) log_warp_met(w, warp, group);
}
}  // namespace __ok

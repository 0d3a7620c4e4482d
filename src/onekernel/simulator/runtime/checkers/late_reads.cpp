// Tells: nothing: races.cpp does, of what is put into its shadow here
// Tests: race_read_*
#include "late_reads.h"

#include "lockstep.h"
#include "../memory/access.h"
#include "../report/findings.h"
#include "races.h"
#include "../shadow/shadow_line.h"
#include "../shadow/touched.h"

namespace __ok {
namespace {
void put_alone(Worker& w, Allocation& a, int rank, uintptr_t address, int bytes, uintptr_t pc) {
    w.rank = static_cast<unsigned>(rank);
    check_global(w, a, address, bytes, 0, pc);
}

// Neighbouring lanes from `first` to `last`, at neighbouring addresses of one line.
void put_in_turn(Worker& w, Allocation& a, int warp, int first, int last, uintptr_t address, int bytes, uintptr_t pc) {
    const uintptr_t offset = address - a.base;
    const int count = last - first + 1, rank = warp * WARP + first;
    mark_bits(a.read_bits, offset, count * bytes, a.unique_loaded);
    if (count > 1 && bytes >= 4 && offset % static_cast<unsigned>(bytes) == 0) {
        ShadowLine& line = line_of(a, offset / 4);
        w.rank = static_cast<unsigned>(rank);
        if (line.read_in_turn(static_cast<int>(offset / 4 % LINE_WORDS), count * bytes / 4, Run::STEP * 4 / bytes, this_access(w, 0, pc), w.barrier_time))
            return;
    }
    for (int i = 0; i < count; i++) put_alone(w, a, rank + i, address + static_cast<uintptr_t>(i * bytes), bytes, pc);
}

// Neighbouring lanes at one address. Of the readers that a word keeps it keeps the first, until a barrier or its thread's next, and
// the last: those between are not missed.
void put_alike(Worker& w, Allocation& a, int warp, int first, int last, uintptr_t address, int bytes, uintptr_t pc) {
    const uintptr_t word = (address - a.base) / 4;
    mark_bits(a.read_bits, address - a.base, bytes, a.unique_loaded);
    put_alone(w, a, warp * WARP + first, address, bytes, pc);
    const WordAccess reader = reader_of(a, word);
    const int own = static_cast<int>(reader.thread()) - warp * WARP;
    if (reader.block == w.block + 1 && own > first && own < last) put_alone(w, a, warp * WARP + own, address, bytes, pc);
    put_alone(w, a, warp * WARP + last, address, bytes, pc);
}

// `lanes`, a bit each, of which `of` has the addresses.
void put_request(Worker& w, int warp, const RequestKind& kind, uint32_t lanes, const uint64_t* of) {
    const uintptr_t pc = code_base() + kind.pc;
    while (lanes) {
        const int first = __builtin_ctz(lanes);
        Allocation& a = owner_of(of[first] - heap_base);
        const auto line = [&](int lane) { return (of[lane] - a.base) / LINE_BYTES; };
        const auto goes_on = [&](int lane, uint64_t apart) {
            return lane + 1 < WARP && lanes >> (lane + 1) & 1 && of[lane + 1] - of[lane] == apart;
        };
        int last = first;
        if (kind.bytes == 4 && goes_on(first, 0)) {
            while (goes_on(last, 0)) last++;
            put_alike(w, a, warp, first, last, of[first], kind.bytes, pc);
        } else {
            while (goes_on(last, kind.bytes) && line(last + 1) == line(first)) last++;
            put_in_turn(w, a, warp, first, last, of[first], kind.bytes, pc);
        }
        lanes &= last == WARP - 1 ? 0 : ~0u << (last + 1);
    }
}
}  // namespace

void put_late_reads(Worker& w) {
    if (!any_late_reads(w)) return;
    Busy busy;
    const unsigned rank = w.rank;
    take_late_reads(w, put_request);
    w.rank = rank;
}

void LateReadsChecker::block_started(Worker& w) {
    if (options & RACES && !(options & COUNTS)) start_late_reads(w);
}

inline __attribute__((always_inline)) bool LateReadsChecker::access(Worker& w, Access& now) {
    if (!(now.on & RACES) || now.space != Space::GLOBAL || !now.buffer->reads_late) return true;
    now.late = !now.flags && !w.resident && log_late_read(w, now.address, now.bytes, now.pc);
    if (now.flags & (WRITES | ATOMIC)) {
        put_late_reads(w);
        now.buffer->reads_late = false;
    }
    return true;
}

template <int bytes, unsigned flags>
inline __attribute__((always_inline)) bool LateReadsChecker::settles(Worker& w, Access& a) {
    if (flags || a.space != Space::GLOBAL || !a.buffer->reads_late || !(a.on & RACES) || w.resident) return false;
    return a.late = log_next_step(w, a.address, bytes, a.pc);
}
}  // namespace __ok

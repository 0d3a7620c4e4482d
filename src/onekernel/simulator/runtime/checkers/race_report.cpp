// What is told of a race, and of a read of what nobody wrote: which of the two comes first, the sentence, the variable.
#include "race_report.h"

#include "../report/findings.h"
#include "order.h"

namespace __ok {
namespace {
// One number for each variable: an allocation or a shared array.
uint64_t variable_key(const Place& place) {
    return place.global ? static_cast<uint64_t>(place.global - allocations) : ~uint64_t(place.shared ? place.shared->offset : 0);
}

// Of which variable, and which of its elements: of an access to `address`, or to the shared memory that `place` names.
Finding& variable(Finding& f, const Place& place, uintptr_t address) {
    if (place.global) {
        const Named at = element_of(*place.global, address);
        return f.array("variable", at.name).number("index", at.index);
    }
    return f.array("variable", place.shared ? place.shared->name : "")
        .number("inner", place.shared ? place.shared->columns : 0).number("middle", place.shared ? place.shared->rows : 0)
        .number("index", place.shared ? (place.shared_offset - place.shared->offset) / place.shared->item : 0);
}
}  // namespace

void report_race(Worker& w, const Place& place, uintptr_t address, const WordAccess& earlier, const WordAccess& later, uint32_t read_before) {
    // Which of the two came first is the simulator's choice: a race is told from the side that writes.
    bool both_write = earlier.flags & later.flags & WRITES;
    bool told_first = (earlier.flags & WRITES) && !both_write;
    const WordAccess &told = told_first ? earlier : later, &other = told_first ? later : earlier;
    bool other_block = earlier.block != w.block + 1;
    // The counter of a last-block sum, say: both blocks go by it, and what was written before it is not fenced.
    bool fence = other_block && place.global && !both_write && signalled_without_fence(earlier.block - 1) &&
                 signalled_without_fence(later.block - 1) && !(told.flags & ATOMIC);
    const bool mixed = (earlier.flags ^ later.flags) & ATOMIC;
    const WordAccess& plain = earlier.flags & ATOMIC ? later : earlier;
    const char* form = fence                                         ? "fence"
                       : other_block && earlier.flags & later.flags & ATOMIC ? "of-block"
                       : other_block && place.global && mixed        ? plain.flags & WRITES ? "grid-atomic" : "grid-count"
                       : other_block                                 ? place.global ? "grid" : "cluster"
                       : (earlier.flags | later.flags) & ATOMIC ? "atomic"
                       : both_write                                  ? "write-write"
                       : read_before && read_before == other.pc()    ? "write-after-read"
                                                                     : "read-write";
    uint64_t key = variable_key(place);
    // Where all that meet are of one warp, its own barrier is enough: one pair of two warps, and it is not.
    // Likewise of two blocks, and no barrier of a block is.
    bool one_warp = !other_block && earlier.thread() / WARP == later.thread() / WARP;
    const char* code = place.global ? "race-global" : "race-shared";
    const uint64_t reach = other_block ? 2 : one_warp ? 0 : 1;
    for (uint64_t wider = reach + 1; wider <= 2; wider++) if (found(code, key, wider)) return;
    Finding f(place.global ? "race-global" : "race-shared", key, reach);
    if (reach && f.kept()) withdraw_in_launch(code, key);
    if (one_warp) f.sentence("warp", "one-warp");
    if (other_block && place.global) f.sentence("does", both_write ? "also-writes" : "reads");
    f.form(form).code_at(text_base() + told.pc()).other_code_at(text_base() + other.pc());
    f.block("block", told.block - 1).thread("thread", told.thread());
    f.block("other_block", other.block - 1).thread("other_thread", other.thread());
    if (variable(f, place, address).add()) withdraw("uninitialised-read", key);  // read too early, not never written
}

void report_written(const Place& place, uintptr_t address, const WordAccess& by, Site at) {
    Finding f("written-read-only", variable_key(place));
    f.at(at).here().other_code_at(text_base() + by.pc()).block("other_block", by.block - 1).thread("other_thread", by.thread());
    variable(f, place, address).add();
}

void report_uninitialised(const Place& place, uintptr_t at, uintptr_t pc) {
    Finding f("uninitialised-read", variable_key(place));
    if (const Allocation* a = place.global; a && a->filled && at >= a->low + a->filled)
        f.number("filled", static_cast<long long>(a->filled)).number("held", static_cast<long long>(a->high - a->low))
            .number("pitch", static_cast<long long>(a->pitch))
            .other_at(Site(a->filled_file, a->filled_line));
    variable(f.form(place.global ? "global" : "shared").code_at(pc).here(), place, at).add();
}
}  // namespace __ok

// Memory traffic as ncu counts it: lanes' accesses joined into warp-wide requests, requests into sectors and wavefronts.
#pragma once

#include <cstdint>

#include "../report/json.h"
#include "requests.h"

namespace __ok {
__attribute__((always_inline)) void log_access(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc, bool shared,
                                               bool late = false);
// Of what checkers/late_reads.h explains: logs a load, or false; then it is to be checked at once.
__attribute__((always_inline)) bool log_late_read(Worker& w, uintptr_t address, int bytes, uintptr_t pc);
// The same, and false where it is not the step that the thread's warp has there.
__attribute__((always_inline)) bool log_next_step(Worker& w, uintptr_t address, int bytes, uintptr_t pc);
void start_late_reads(Worker& w);  // a block begins, and requests are not counted
// Tells `put` of each request's lanes of which loads were late, and where they load.
bool any_late_reads(const Worker& w);
void take_late_reads(Worker& w, void (*put)(Worker& w, int warp, const RequestKind& kind, uint32_t lanes, const uint64_t* addresses));
// The kernel's machine code tells its loads and stores: of what its threads do, only atomics on global memory are logged.
void count_only_atomics(bool only);
bool counted_by_code();
void each_counting(const Launch& launch, void (*then)(Worker&));  // of the cores that have counted in it

struct LockstepChecker : Checker<LockstepChecker> {
    static constexpr unsigned OPTIONS = COUNTS;
    static bool access(Worker& w, Access& a);
    static void launch_started(const Launch& launch);
    static void launch_counted(const Launch& launch);
    static void block_started(Worker& w);
    static void barrier_complete(Worker& w, Site at);  // its block has come to it
    static void barrier_passed(Worker& w);
    static void block_paused(Worker& w) { barrier_passed(w); }
    static void blocks_passed(Worker& w, int, int, int) { barrier_passed(w); }
    static void block_ended(Worker& w) { barrier_passed(w); }
    // Lanes that went their own ways have met: what they did since the last time is joined and counted. `orders`: memory, too.
    static void warp_reconverged(Worker& w, int warp, unsigned group, bool orders);
};
void write_counts(Json& out);  // members: "accesses" by program counter, "barriers" by line
}  // namespace __ok

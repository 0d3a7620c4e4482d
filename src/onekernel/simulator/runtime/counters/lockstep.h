// Memory traffic as ncu counts it: lanes' accesses joined into warp-wide requests, requests into sectors and wavefronts.
#pragma once

#include <cstdint>

#include "../machine/state.h"
#include "../report/json.h"
#include "requests.h"

namespace __ok {
void start_counts(Worker& w, unsigned launch);          // the first of its blocks of a launch begins, or the launch itself
void add_counts(const Launch& launch); // what its cores have counted, to the host's own
__attribute__((always_inline)) void log_access(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc, bool shared,
                                               bool late = false);
// Of what checks/late_reads.h explains: logs a load, or false; then it is to be checked at once.
__attribute__((always_inline)) bool log_late_read(Worker& w, uintptr_t address, int bytes, uintptr_t pc);
void start_late_reads(Worker& w);  // a block begins, and requests are not counted
// Tells `put` of each request's lanes of which loads were late, and where they load.
bool any_late_reads(const Worker& w);
void take_late_reads(Worker& w, void (*put)(Worker& w, int warp, const RequestKind& kind, uint32_t lanes, const uint64_t* addresses));
// The kernel's machine code tells its loads and stores: of what its threads do, only atomics on global memory are logged.
void count_only_atomics(bool only);
bool counted_by_code();
void log_barrier(Worker& w, Site at);  // its block has come to it
// Lanes that went their own ways have met: what they did since the last time is joined and counted. `orders`: memory, too.
void log_warp_reconverged(Worker& w, int warp, unsigned group, bool orders);
void log_block_reconverged(Worker& w);
void write_counts(Json& out);  // members: "accesses" by program counter, "barriers" by line
}  // namespace __ok

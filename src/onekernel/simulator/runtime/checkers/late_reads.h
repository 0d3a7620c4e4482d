// Plain loads from a tensor that the host has filled, and no thread of the launch has written yet, meet nothing: they only have to
// be known to who writes there later. So they lie in their warp's log, as what is counted does, and are put into the shadow late,
// request by request: before the block's clock goes on, anything is released, or the tensor is written.
#pragma once

#include "checker.h"

namespace __ok {
void put_late_reads(Worker& w);  // those that wait, if any

struct LateReadsChecker : Checker<LateReadsChecker> {
    static bool access(Worker& w, Access& a);
    template <int bytes, unsigned flags> static bool settles(Worker& w, Access& a);
    static void settled(Worker&, Access&) {}
    static void block_started(Worker& w);
    static void barrier_complete(Worker& w, Site) { put_late_reads(w); }
    static void warp_reconverged(Worker& w, int, unsigned, bool) { put_late_reads(w); }
    static void block_ended(Worker& w) { put_late_reads(w); }
};
}  // namespace __ok

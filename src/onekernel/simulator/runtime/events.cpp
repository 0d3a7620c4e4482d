#include "events.h"

#include "checks/async.h"
#include "checks/happens_before.h"
#include "checks/late_reads.h"
#include "checks/plain_words.h"
#include "checks/race.h"
#include "counters/lockstep.h"
#include "counters/moved.h"
#include "counters/trace.h"
#include "machine/mbarrier.h"

namespace __ok {
void launch_started(const Launch& launch) {
    if (options & RACES) start_races();
    if (!(options & COUNTS)) return;
    start_trace(launch);
    if (!(options & RACES)) start_touched_bytes();
    start_counts(*worker, launch.serial);
}

void launch_counted(const Launch& launch) {
    if (!(options & COUNTS)) return;
    add_counts(launch);
    if (!(options & RACES)) count_touched_bytes();
}

void block_started(Worker& w) {
    if (options & COUNTS && w.counted != w.launch->serial) start_counts(w, w.launch->serial);
    else if (options & RACES && !(options & COUNTS)) start_late_reads(w);
    order_block_started(w);
    plain_block_started(w);
    if (w.copies) forget_copies(w);
    if (w.barriers) forget_barriers(w);
}

void thread_stops(Worker& w) {
    if (options & RACES) settle(w);
}

void barrier_complete(Worker& w, Site at) {
    put_late_reads(w);
    if (options & COUNTS) log_barrier(w, at);
}

void barrier_passed(Worker& w) {
    if (options & RACES) {
        settle(w);
        order_barrier_passed(w);
        plain_barrier_passed(w);
    }
    if (options & COUNTS) log_block_reconverged(w);
}

void warp_reconverged(Worker& w, int warp, unsigned group, bool orders) {
    put_late_reads(w);
    order_warp_reconverged(w, warp, group);
    if (options & COUNTS) log_warp_reconverged(w, warp, group, orders);
}

void block_paused(Worker& w) {
    if (options & COUNTS) log_block_reconverged(w);
}

void blocks_passed(Worker& w, int level, int from, int to) {
    if (options & COUNTS) log_block_reconverged(w);
    if (!(options & RACES)) return;
    if (level == GRID) forget_accesses();
    else order_cluster_barrier_passed(from, to);
}

void block_ended(Worker& w) {
    put_late_reads(w);
    if (options & COUNTS) log_block_reconverged(w);
}
}  // namespace __ok

// Each event is told to every checker that wants it: checkers/list.h.
#include "events.h"

#include "checkers/list.h"

namespace __ok {
void launch_started(const Launch& launch) { Checkers::tell([&](auto c) { c.launch_started(launch); }); }
void launch_counted(const Launch& launch) { Checkers::tell([&](auto c) { c.launch_counted(launch); }); }
void block_started(Worker& w) { Checkers::tell([&](auto c) { c.block_started(w); }); }
void thread_stops(Worker& w) { Checkers::tell([&](auto c) { c.thread_stops(w); }); }
void barrier_complete(Worker& w, Site at) { Checkers::tell([&](auto c) { c.barrier_complete(w, at); }); }
void barrier_passed(Worker& w) { Checkers::tell([&](auto c) { c.barrier_passed(w); }); }
void warp_reconverged(Worker& w, int warp, unsigned group, bool orders) {
    Checkers::tell([&](auto c) { c.warp_reconverged(w, warp, group, orders); });
}
void block_paused(Worker& w) { Checkers::tell([&](auto c) { c.block_paused(w); }); }
void blocks_passed(Worker& w, int level, int from, int to) { Checkers::tell([&](auto c) { c.blocks_passed(w, level, from, to); }); }
void block_ended(Worker& w) { Checkers::tell([&](auto c) { c.block_ended(w); }); }
}  // namespace __ok

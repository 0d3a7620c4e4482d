// What the machine tells while a launch runs. Which checkers want an event, each of them says: checkers/checker.h.
#pragma once

#include "machine/state.h"

namespace __ok {
void launch_started(const Launch& launch);
void launch_counted(const Launch& launch);  // its blocks have ended: what they have moved is added up
void block_started(Worker& w);
void thread_stops(Worker& w);               // it comes to a barrier, or has ended
void barrier_complete(Worker& w, Site at);  // all threads of the block that will come have come to it
void barrier_passed(Worker& w);             // and go on
// Lanes have met in a collective; `orders`: which to the compiler orders memory, as __syncwarp does and a shuffle does not.
void warp_reconverged(Worker& w, int warp, unsigned group, bool orders);
void block_paused(Worker& w);               // its threads wait for other blocks
void blocks_passed(Worker& w, int level, int from, int to);  // these resident blocks have met at a barrier of that level
void block_ended(Worker& w);
}  // namespace __ok

// Bytes that a launch moves, by buffer, and which of them it has touched. Where order is checked one core runs, and the allocations
// keep account themselves; else threads of several cores ask at once, and each core has sums of its own.
#pragma once

#include "checker.h"

namespace __ok {
struct Moved;  // of one core
Moved* make_moved();
void start_moved(Moved& moved);

struct TrafficChecker : Checker<TrafficChecker> {
    static bool access(Worker& w, Access& a);
    static void launch_started(const Launch& launch);
    static void launch_counted(const Launch& launch);
};
}  // namespace __ok

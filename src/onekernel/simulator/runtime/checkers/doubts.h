// Which requests a GPU's compiler may do better: neighbouring ones that it may make one, and repeated ones that it may leave
// out. It is asked of kernels that are counted as they are written; their machine code needs no such question.
#pragma once

#include <cstdint>

#include "requests.h"

namespace __ok {
struct Counters;
struct Doubts;  // of one core
Doubts* make_doubts();
void start_doubts(Doubts& doubts);                         // a launch begins
void note_meeting(Doubts& doubts, int warp);               // what its lanes did before has been counted
void note_order(Doubts& doubts, int warp);                 // memory is ordered there: the compiler moves no access across

// Is a request one that may be merged with, or saved by, one of those before it?
struct DoubtsChecker : Checker<DoubtsChecker> {
    static constexpr unsigned OPTIONS = COUNTS;
    static void request(Worker& w, Request& r);
};
}  // namespace __ok

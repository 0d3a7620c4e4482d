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
// Is the request of `count` lanes one that may be merged with, or saved by, one of those before it?
void doubt_request(Counters& counters, uint64_t block, int warp, const RequestKind& kind, const uint64_t* addresses,
                   const int* lanes, int count, const Shape* shape);
}  // namespace __ok

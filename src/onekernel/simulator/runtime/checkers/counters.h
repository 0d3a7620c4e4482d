// What one core counts while it runs blocks of a launch. Blocks do not share it: where several cores take part, their counts are
// added when the launch has ended.
#pragma once

#include "../machine/state.h"

namespace __ok {
struct Lockstep;  // lockstep.cpp: the accesses since lanes met, and how often a block has come to each barrier
struct Requests;  // requests.cpp
struct Doubts;    // doubts.cpp
struct Moved;     // traffic.cpp

struct Counters {
    Lockstep* lockstep;
    Requests* requests;
    Doubts* doubts;
    Moved* moved;
};
}  // namespace __ok

// Traffic that only a kernel's machine code shows: of a thread's own memory, of constants, of atomics where L2 and the banks of
// shared memory serve them. Held to what ncu counts on an H200 by tests/simulator/test_apart.py.
#pragma once

#include <cstdint>

#include "../report/json.h"

namespace __ok {
namespace machine {
enum Road : int { LOCAL_LOADS, LOCAL_STORES, CONSTANTS, REDUCTIONS, ATOMICS, SHARED_ATOMICS, ROADS };

// Lanes of a warp that execute an instruction together, in ascending order; `site`: its number in the counts.
struct Sent {
    int32_t site;
    const uint64_t* addresses;
    const int* lanes;
    int count, bytes;
};

void forget_apart();  // a launch begins
void count_local(const Sent& s, bool write);
void count_constants(const Sent& s);
void count_atomic(const Sent& s, bool returns, bool compares);
void count_shared_atomic(const Sent& s, bool compares);
// The loop that adds floats: its lanes try once in each turn, of each bank one is let in, and the others come again.
uint32_t let_in(const Sent& s);  // a bit of each, by its place
void count_shared_turn(const Sent& s, uint32_t in);
}  // namespace machine
void write_apart(Json& out);  // "apart": by program counter
}  // namespace __ok

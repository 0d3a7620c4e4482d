// One warp-wide request counted: sectors, wavefronts, bank conflicts, by program counter.
#pragma once

#include <cstdint>

#include "../report/json.h"
#include "checker.h"

namespace __ok {
// What the lanes of a request have in common.
struct RequestKind {
    uint32_t pc;
    uint8_t bytes, flags;
    bool shared;
    uint64_t code() const { return uint64_t(shared) << 48 | uint64_t(flags) << 40 | uint64_t(bytes) << 32 | pc; }
    static RequestKind of(uint64_t code) {
        return {static_cast<uint32_t>(code), static_cast<uint8_t>(code >> 32), static_cast<uint8_t>(code >> 40), code >> 48 != 0};
    }
    bool operator==(const RequestKind& o) const { return code() == o.code(); }
};

// Requests of a whole warp by one place in the code, which mostly differ in where the first lane's access lies and in nothing else:
// what was found of one holds for the next.
struct Shape {
    uint64_t code = 0;         // of the kind; 0: nothing is known
    uint64_t apart[WARP];      // each lane's address from the first one's
    uint64_t weighted;         // their sum, as doubts.cpp weighs lanes
    bool counted;
    uint64_t begins;           // modulo what these two depend on: of the first lane's address
    uint32_t moved, conflicts; // sectors of global memory, or wavefronts of shared memory
};
constexpr uint64_t weight_of(uint64_t lane) { return 2 * lane * lane + 1; }

struct Requests;  // of one core
Requests* make_requests();
void start_requests(Requests& requests);
void add_requests(Requests& sum, const Requests& more);
Shape& shape_of(Requests& requests, const RequestKind& kind, const uint64_t* addresses);  // of all lanes of a warp
// Lanes of a warp that execute an instruction together, in ascending order.
struct Request {
    int warp;
    const RequestKind& kind;
    const uint64_t* addresses;
    const int* lanes;
    const uint8_t* sizes;  // each lane's bytes, or null where all ask for `kind.bytes`
    int count;
    bool diverged_after;   // afterwards some of them went another way
    Shape* shape;          // null unless they are all of a warp
    bool is_atomic() const { return (kind.flags & (ATOMIC | VOLATILE)) == ATOMIC; }
    bool is_of_copy() const { return kind.flags & OF_COPY; }
};
void count_request(Worker& w, const Request& r);
// What a compiler may do to a request, a bit each: make one of it and a neighbour; leave it out, for one shortly before it or
// for what the same place in the code did in the turn before; leave it out where two loops are unrolled that walk over the same
// elements; both across a barrier, where nothing may change what is loaded; have had more lanes make it together.
enum Doubt : uint32_t { MERGES = 1, REPEATS = 2, WALKED_AGAIN = 4, UNCHANGED = 8, UNCHANGED_WALKED_AGAIN = 16, APART = 32 };
constexpr int DOUBTS = 6;
void note_doubts(Requests& requests, const RequestKind& kind, uint32_t doubts);
// A warp makes the request: of each place in the code it is counted how many have made one there, each once.
void note_warp(Requests& requests, const RequestKind& kind, uint64_t block, int warp);
struct RequestsChecker : Checker<RequestsChecker> {
    static constexpr unsigned OPTIONS = COUNTS;
    static void request(Worker& w, Request& r);
};
void write_requests(const Requests& requests, Json& out);  // "accesses" by program counter
}  // namespace __ok

// One warp-wide request counted: sectors, wavefronts, bank conflicts, by program counter.
#pragma once

#include <cstdint>

#include "../machine/state.h"
#include "../report/json.h"

namespace __ok {
// What the lanes of a request have in common.
struct RequestKind {
    uint32_t pc;
    uint8_t bytes, flags;
    bool shared;
    uint64_t code() const { return uint64_t(shared) << 48 | uint64_t(flags) << 40 | uint64_t(bytes) << 32 | pc; }
    bool operator==(const RequestKind& o) const { return code() == o.code(); }
};

struct Requests;  // of one core
Requests* make_requests();
void start_requests(Requests& requests);
void add_requests(Requests& sum, const Requests& more);
// Counts the request of `count` lanes in ascending order. `sizes`: each lane's bytes, or null where all ask for
// `kind.bytes`. `diverged_after`: afterwards some of them went another way.
void count_request(Worker& w, const RequestKind& kind, const uint64_t* addresses, const int* lanes, const uint8_t* sizes, int count,
                   bool diverged_after);
// That a compiler may merge the request with another, leave it out, or have had more lanes make it together: doubt.h.
void note_doubt(Requests& requests, const RequestKind& kind, bool merges, bool repeats, bool apart);
void write_requests(const Requests& requests, Json& out);  // "accesses" by program counter
}  // namespace __ok

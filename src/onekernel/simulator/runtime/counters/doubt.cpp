#include "doubt.h"

#include <algorithm>

#include "../memory/access.h"
#include "counters.h"
#include "requests.h"

namespace __ok {
namespace {
struct Past {
    RequestKind kind;
    uint32_t lanes;  // one bit each
    uint64_t addresses[WARP];
};
constexpr uint64_t COMPARED = 8, KEPT = 64;  // requests back, by neighbourhood and by place in the code
constexpr int OF_CODE = 256, WIDEST = 16;    // places in the code; bytes of a lane's access
}  // namespace

struct Doubts {
    Past requests_before[KEPT];
    uint64_t so_far = 0, since_met = 0;  // requests, and those before the lanes met
    uint64_t last_of[OF_CODE] = {};   // by place in the code: the request's number + 1
};

namespace {

// Are all addresses those of `p`, `off` bytes on?
bool follow(const Past& p, const uint64_t* addresses, int count, int64_t off) {
    for (int i = 0; i < count; i++)
        if (addresses[i] != p.addresses[i] + static_cast<uint64_t>(off)) return false;
    return true;
}

// The two as one access of twice the bytes: is it aligned in every lane?
bool aligned(const Past& p, const uint64_t* addresses, int count, int bytes) {
    for (int i = 0; i < count; i++)
        if (std::min(p.addresses[i], addresses[i]) & static_cast<uint64_t>(2 * bytes - 1)) return false;
    return true;
}

bool may_merge(const Past& p, const RequestKind& kind, const uint64_t* addresses, int count) {
    if (kind.bytes >= WIDEST || p.kind.bytes != kind.bytes || p.kind.flags != kind.flags) return false;
    // A pointer to global memory is as aligned as its elements: only members that stand apart in the code may be one.
    if (!kind.shared && p.kind.pc == kind.pc) return false;
    bool beside = follow(p, addresses, count, kind.bytes) || follow(p, addresses, count, -int64_t(kind.bytes));
    return beside && aligned(p, addresses, count, kind.bytes);
}

// Has each lane of `mask`, and perhaps others with it, been there in `p`?
bool been_there(const Past& p, const uint64_t* addresses, const int* lanes, int count, uint32_t mask) {
    if (p.lanes == mask) return follow(p, addresses, count, 0);
    if (mask & ~p.lanes) return false;
    for (int i = 0; i < count; i++)
        if (addresses[i] != p.addresses[__builtin_popcount(p.lanes & ((1u << lanes[i]) - 1))]) return false;
    return true;
}

bool may_repeat(const Past& p, const RequestKind& kind, const uint64_t* addresses, const int* lanes, int count,
                uint32_t mask) {
    bool both_write = p.kind.flags & kind.flags & WRITES;
    return p.kind.bytes == kind.bytes && (both_write || !(kind.flags & WRITES)) &&
           been_there(p, addresses, lanes, count, mask);
}

// At whatever place in the code.
bool alike(const RequestKind& a, const RequestKind& b) {
    return a.bytes == b.bytes && a.flags == b.flags && a.shared == b.shared;
}

// Other lanes have made this access apart, or one like it, and have not met these since: on the card they may have met before
// it. Lanes that part are joined by the order of the code, and a compiler puts the code of an inlined function where it
// likes; nvcc makes one store, of a chosen value to a chosen address, of the two that an `if` and its `else` end with.
bool made_apart(const Doubts& d, const RequestKind& kind, uint32_t mask) {
    uint32_t met = mask;
    for (uint64_t k = d.so_far; k > d.since_met && d.so_far - k < KEPT; k--) {
        const Past& p = d.requests_before[(k - 1) % KEPT];
        if (alike(p.kind, kind) && !(p.lanes & met)) return true;
        if (p.lanes & mask) met |= p.lanes;
    }
    return false;
}
}  // namespace

Doubts* make_doubts() { return new Doubts; }
void forget_requests(Doubts& d) { d.since_met = d.so_far; }

void doubt_request(Counters& counters, const RequestKind& kind, const uint64_t* addresses, const int* lanes, int count) {
    if (kind.flags & (ATOMIC | VOLATILE)) return;
    Doubts& d = *counters.doubts;
    bool merges = false, repeats = false;
    uint32_t mask = 0;
    if (count == WARP) mask = ~0u;
    else for (int i = 0; i < count; i++) mask |= 1u << lanes[i];
    for (uint64_t k = d.so_far; k > d.since_met && d.so_far - k < COMPARED && !(merges && repeats); k--) {
        const Past& p = d.requests_before[(k - 1) % KEPT];
        if (p.kind.shared != kind.shared) continue;
        merges |= p.lanes == mask && may_merge(p, kind, addresses, count);
        repeats |= may_repeat(p, kind, addresses, lanes, count, mask);
    }
    uint64_t& before = d.last_of[kind.pc * 2654435761u % OF_CODE];
    if (before > d.since_met && d.so_far - before < KEPT) {
        const Past& p = d.requests_before[(before - 1) % KEPT];
        repeats |= p.kind == kind && p.lanes == mask && may_repeat(p, kind, addresses, lanes, count, mask);
    }
    const bool apart = mask != ~0u && made_apart(d, kind, mask);
    Past& now = d.requests_before[d.so_far++ % KEPT];
    now.kind = kind;
    now.lanes = mask;
    std::copy(addresses, addresses + count, now.addresses);
    before = d.so_far;
    if (merges || repeats || apart) note_doubt(*counters.requests, kind, merges, repeats, apart);
}
}  // namespace __ok

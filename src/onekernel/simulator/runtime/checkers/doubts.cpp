// A request is known again by its pattern: a number made of its lanes and addresses, which is that of the request as many bytes
// on or back, too, without a look at each address. Two patterns that are equal by chance would make a count uncertain, not wrong.
//
// Tells: nothing: how certain a line's count is
// Tests: test_counts.py
#include "doubts.h"

#include <algorithm>

#include "../memory/access.h"
#include "counters.h"
#include "lockstep.h"
#include "requests.h"

namespace __ok {
namespace {
struct Past {
    RequestKind kind;
    uint32_t lanes;  // one bit each
    uint64_t addresses[WARP];
};
struct Made {  // a request of a warp
    uint64_t pattern;
    uint32_t when, pc;  // counted from 1; its place in the code
    uint32_t before;    // when that place made the one before
};
constexpr uint64_t COMPARED = 8, KEPT = 64;  // requests back since the lanes met
constexpr uint32_t FAR = 256;                // requests of a warp between two that may be one: registers end before
constexpr int OF_CODE = 64, WIDEST = 16;     // places in the code kept of a warp; bytes of a lane's access

// The last requests of a warp by their patterns, which differ from run to run as addresses do: a pattern has eight places,
// and the oldest of them makes room, so that what is found does not hang on where the tensors lie.
class Patterns {
  public:
    struct Request {
        uint32_t when, pc;
    };
    const Request* of(uint64_t pattern) const {
        const Set& set = set_of(pattern);
        for (int k = 0; k < PLACES; k++)
            if (set.patterns[k] == pattern) return &set.requests[k];
        return nullptr;
    }
    void keep(uint64_t pattern, Request request) {
        Set& set = set_of(pattern);
        int to = 0;
        for (int k = 0; k < PLACES; k++) {
            if (set.patterns[k] == pattern) {
                to = k;
                break;
            }
            if (set.requests[k].when < set.requests[to].when) to = k;
        }
        set.patterns[to] = pattern;
        set.requests[to] = request;
    }
    void forget(uint64_t pattern) {
        for (uint64_t& p : set_of(pattern).patterns)
            if (p == pattern) p = 0;
    }

  private:
    static constexpr int SETS = 64, PLACES = 8;
    struct alignas(64) Set {
        uint64_t patterns[PLACES];
        Request requests[PLACES];
    };
    Set sets[SETS];
    Set& set_of(uint64_t pattern) { return sets[pattern >> 32 & (SETS - 1)]; }
    const Set& set_of(uint64_t pattern) const { return sets[pattern >> 32 & (SETS - 1)]; }
};

struct OfWarp {
    Patterns made;
    Made last[OF_CODE];  // by place in the code
    uint64_t block;
    uint32_t requests, begun, ordered, met;  // so far; as many of them before the block, the last order, the last meeting
    uint32_t stored;                         // and before the last store to global memory
};
}  // namespace

struct Doubts {
    Past requests_before[KEPT];
    uint64_t so_far = 0, since_met = 0;  // requests, and those before the lanes met
    OfWarp warps[MAX_WARPS] = {};
};

namespace {
uint64_t mixed(uint64_t v) {
    v *= 0x9e3779b97f4a7c15;
    return v ^ v >> 32;
}

constexpr uint64_t weights_of_all() {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < WARP; i++) sum += weight_of(i);
    return sum;
}
constexpr uint64_t WEIGHTS_OF_ALL = weights_of_all();

// The pattern of the request, and of the one whose addresses lie as many bytes further in every lane.
struct Pattern {
    uint64_t lanes, sum = 0, weights = 0;
    uint32_t bits_of_all = ~0u, bits_of_any = 0;  // of the addresses

    Pattern(const RequestKind& kind, uint32_t mask, const uint64_t* addresses, const int* lane, int count, const Shape* shape) {
        lanes = mixed(uint64_t(mask) << 8 | uint64_t(kind.shared) << 7 | kind.bytes);
        if (shape) {
            weights = WEIGHTS_OF_ALL;
            for (int i = 0; i < WARP; i++) {
                bits_of_all &= static_cast<uint32_t>(addresses[i]);
                bits_of_any |= static_cast<uint32_t>(addresses[i]);
            }
            sum = shape->weighted + addresses[0] * weights;
            return;
        }
        for (int i = 0; i < count; i++) {
            const uint64_t weight = weight_of(static_cast<uint64_t>(lane[i]));
            sum += addresses[i] * weight;
            weights += weight;
            bits_of_all &= static_cast<uint32_t>(addresses[i]);
            bits_of_any |= static_cast<uint32_t>(addresses[i]);
        }
    }
    uint64_t shifted(int64_t bytes, bool writes) const {
        return mixed(mixed(sum + static_cast<uint64_t>(bytes) * weights + writes) ^ lanes) | 1;
    }
    // How far on the neighbour lies with which every lane's access is half of one of twice the bytes, aligned; 0: nowhere.
    int64_t half_of_an_aligned_one(int bytes) const {
        const auto size = static_cast<uint32_t>(bytes);
        if (size & (size - 1) || bits_of_any & (size - 1)) return 0;
        return bits_of_all & size ? -int64_t(bytes) : bits_of_any & size ? 0 : bytes;
    }
};

// The request of that pattern since the block began, not too far back; null: there is none.
const Patterns::Request* found(const OfWarp& w, uint64_t pattern) {
    const Patterns::Request* s = w.made.of(pattern);
    return s && s->when > w.begun && w.requests - s->when < FAR ? s : nullptr;
}

bool may_merge(const OfWarp& w, const RequestKind& kind, const Pattern& p) {
    if (kind.bytes >= WIDEST) return false;
    const int64_t away = p.half_of_an_aligned_one(kind.bytes);
    const auto* s = away ? found(w, p.shifted(away, kind.flags & WRITES)) : nullptr;
    // A pointer to global memory is as aligned as its elements: only members that stand apart in the code may be one.
    return s && s->when > w.ordered && (kind.shared || s->pc != kind.pc);
}

// The same lanes have made this access before: how the compiler may have left it out.
uint32_t repeated(const OfWarp& w, const RequestKind& kind, const Pattern& p) {
    uint32_t out = 0;
    const Made& last = w.last[kind.pc % OF_CODE];
    const uint32_t turn = last.pc == kind.pc && last.when > w.begun ? last.when : w.begun;  // where its last one began
    const uint32_t turn_before = turn > w.begun && last.before > w.begun ? last.before : w.requests;
    auto add = [&](uint32_t when, bool in_turn) {
        const bool near = when > turn && when > w.met && w.requests - when < COMPARED;
        // What another place did in the turn before needs no known length: four turns may be unrolled of any.
        const bool unrolled = when > turn_before && when <= turn && when > w.met;
        if (when > w.ordered && !(in_turn || near) && unrolled) out |= !kind.shared && w.stored >= when ? UNCHANGED : REPEATS;
        else if (when > w.ordered) out |= in_turn || near ? REPEATS : WALKED_AGAIN;
        else if (!kind.shared && !(kind.flags & WRITES)) out |= in_turn ? UNCHANGED : UNCHANGED_WALKED_AGAIN;
    };
    for (bool wrote : {false, true}) {
        if (kind.flags & WRITES && !wrote) continue;  // a store is left out for another one alone
        const uint64_t pattern = p.shifted(0, wrote);
        if (turn > w.begun && last.pattern == pattern) add(turn, true);
        else if (const auto* s = found(w, pattern)) add(s->when, false);
    }
    return out;
}

// Have other lanes made the access together with those of `mask`?
bool made_by_more(const Doubts& d, const RequestKind& kind, const uint64_t* addresses, const int* lanes, int count, uint32_t mask) {
    for (uint64_t k = d.so_far; k > d.since_met && d.so_far - k < COMPARED; k--) {
        const Past& p = d.requests_before[(k - 1) % KEPT];
        if (p.kind.shared != kind.shared || p.kind.bytes != kind.bytes || mask & ~p.lanes) continue;
        if (kind.flags & WRITES && !(p.kind.flags & WRITES)) continue;
        bool all = true;
        for (int i = 0; i < count && all; i++)
            all = addresses[i] == p.addresses[__builtin_popcount(p.lanes & ((1u << lanes[i]) - 1))];
        if (all) return true;
    }
    return false;
}

// An access that no compiler leaves out sees what was stored at these addresses: those stores stay, too.
void keep_stores(Doubts& d, OfWarp& w, const Pattern& p, const RequestKind& kind, const uint64_t* addresses, uint32_t mask, int count) {
    const uint64_t stored = p.shifted(0, true);
    w.made.forget(stored);
    for (Made& last : w.last)
        if (last.pattern == stored) last.pattern = 0;
    for (uint64_t k = d.so_far; k > d.since_met && d.so_far - k < COMPARED; k--) {
        Past& past = d.requests_before[(k - 1) % KEPT];
        if (past.kind.shared == kind.shared && past.kind.bytes == kind.bytes && past.kind.flags & WRITES && past.lanes == mask &&
            std::equal(addresses, addresses + count, past.addresses))
            past.lanes = 0;
    }
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

void start_doubts(Doubts& d) {
    for (OfWarp& w : d.warps) w.block = ~uint64_t(0);
}

void note_meeting(Doubts& d, int warp) {
    d.since_met = d.so_far;
    d.warps[warp].met = d.warps[warp].requests;
}

void note_order(Doubts& d, int warp) { d.warps[warp].ordered = d.warps[warp].requests; }

void DoubtsChecker::request(Worker& worker, Request& r) {
    if (counted_by_code() || r.is_of_copy()) return;
    Counters& counters = *worker.counters;
    const RequestKind& kind = r.kind;
    const uint64_t block = worker.block, *addresses = r.addresses;
    const int *lanes = r.lanes, warp = r.warp, count = r.count;
    Doubts& d = *counters.doubts;
    OfWarp& w = d.warps[warp];
    note_warp(*counters.requests, kind, block, warp);
    if (w.block != block) {
        w.block = block;
        w.begun = w.ordered = w.met = w.stored = w.requests;
    }
    uint32_t mask = 0;
    if (count == WARP) mask = ~0u;
    else for (int i = 0; i < count; i++) mask |= 1u << lanes[i];
    const Pattern pattern(kind, mask, addresses, lanes, count, r.shape);
    if (kind.flags & (ATOMIC | VOLATILE)) {
        keep_stores(d, w, pattern, kind, addresses, mask, count);
        return;
    }
    uint32_t doubts = repeated(w, kind, pattern);
    if (may_merge(w, kind, pattern)) doubts |= MERGES;
    if (mask != ~0u) {
        if (made_by_more(d, kind, addresses, lanes, count, mask)) doubts |= REPEATS;
        if (made_apart(d, kind, mask)) doubts |= APART;
    }
    if (doubts) note_doubts(*counters.requests, kind, doubts);
    Past& now = d.requests_before[d.so_far++ % KEPT];
    now.kind = kind;
    now.lanes = mask;
    std::copy(addresses, addresses + count, now.addresses);
    Made& last = w.last[kind.pc % OF_CODE];
    const Made latest{pattern.shifted(0, kind.flags & WRITES), ++w.requests, kind.pc, last.pc == kind.pc ? last.when : 0};
    if (kind.flags & WRITES && !kind.shared) w.stored = w.requests;
    w.made.keep(latest.pattern, {latest.when, latest.pc});
    last = latest;
}
}  // namespace __ok

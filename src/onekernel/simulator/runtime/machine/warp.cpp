// Warp collectives: each lane deposits its value and waits; the last lane that the mask names computes all results.
#include "../events.h"
#include "../report/findings.h"
#include "state.h"
#include "undefined.h"
#include "warpgroup.h"

namespace __ok {
[[gnu::noinline]] static void report_absent(const Thread& t, int lane, int source, bool exited) {
    const int threads = worker->launch->threads;
    const bool there = (&t - worker->threads) / WARP * WARP + source < threads;
    const auto rank = static_cast<unsigned>(&t - worker->threads);
    Finding("absent-lane", uint64_t(t.at.line)).form(!there ? "none" : exited ? "exited" : "unnamed").at(t.at)
        .block("block", worker->block).thread("thread", rank).number("lane", lane).number("source", source).number("threads", threads).add();
}

extern "C" void ok_unset_fragment(Site at) { Finding("unset-fragment", reinterpret_cast<uintptr_t>(worker->launch->site)).at(at).here().add(); }

static uint64_t shuffle_result(Thread* lanes, int lane, unsigned group, unsigned alive) {
    Thread& t = lanes[lane];
    int width = t.width < 1 ? 32 : t.width, first = lane & ~(width - 1), last = first + width - 1, source = lane;
    switch (t.what) {
        case SHFL_IDX: source = first + (t.lane & (width - 1)); break;
        case SHFL_UP: source = lane - t.lane < first ? lane : lane - t.lane; break;
        case SHFL_DOWN: source = lane + t.lane > last ? lane : lane + t.lane; break;
        case SHFL_XOR: source = (lane ^ t.lane) > last ? lane : lane ^ t.lane; break;
    }
    if (source < 0 || source > 31) source = lane;
    if (!(group >> source & 1)) {
        const uint64_t given = undefined_value(*worker, t.bytes, t.at);
        report_absent(t, lane, source, !(alive >> source & 1));
        return given;
    }
    return lanes[source].value;
}

static int signed_value(uint64_t v) { return static_cast<int>(static_cast<unsigned>(v)); }

inline bool is_shuffle(int what) { return what >= SHFL_IDX && what <= SHFL_XOR; }

// What they deposit is joined to one value of all, or to a result for each. Shuffles ask for neither.
static void join_values(Thread* lanes, unsigned group, int what) {
    const int leader = __builtin_ctz(group);
    unsigned ballot = 0;
    uint64_t all = 0;
    bool begun = false;
    for (unsigned rest = group; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        Thread& t = lanes[i];
        if (t.value) ballot |= 1u << i;
        uint64_t v = t.value;
        if (!begun) all = v;
        else switch (what) {
            case REDUCE_ADD: all = static_cast<unsigned>(all + v); break;
            case REDUCE_MIN_U: all = v < all ? v : all; break;
            case REDUCE_MAX_U: all = v > all ? v : all; break;
            case REDUCE_MIN_S: all = signed_value(v) < signed_value(all) ? v : all; break;
            case REDUCE_MAX_S: all = signed_value(v) > signed_value(all) ? v : all; break;
            case REDUCE_AND: all &= v; break;
            case REDUCE_OR: all |= v; break;
            case REDUCE_XOR: all ^= v; break;
            case MATCH_ALL: all = v == lanes[leader].value ? all : ~lanes[leader].value; break;
            default: break;
        }
        begun = true;
    }
    unsigned same = 0;
    for (unsigned rest = group; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        Thread& t = lanes[i];
        switch (what) {
            case BALLOT: t.result = ballot; break;
            case VOTE_ALL: t.result = ballot == group; break;
            case VOTE_ANY: t.result = ballot != 0; break;
            case VOTE_UNI: t.result = ballot == 0 || ballot == group; break;
            case ACTIVE_MASK: t.result = group; break;
            case MATCH_ANY:
                same = 0;
                for (unsigned others = group; others; others &= others - 1) {
                    int j = __builtin_ctz(others);
                    if (lanes[j].value == t.value) same |= 1u << j;
                }
                t.result = same;
                break;
            case MATCH_ALL:
                t.predicate = all == lanes[leader].value;
                t.result = t.predicate ? group : 0;
                break;
            default: t.result = all; break;
        }
    }
}

[[gnu::noinline]] static void report_mismatch(const Thread* lanes, int leader, int lane) {
    Finding("mismatched-collective", uint64_t(lanes[lane].at.line), uint64_t(lanes[leader].at.line)).at(lanes[leader].at)
        .other_at(lanes[lane].at).here().number("lane", leader).number("other_lane", lane).add();
}

// All lanes of `group` wait in the same collective: gives each its result.
static void complete(Worker& w, int warp, unsigned group) {
    Warp& wp = w.warps[warp];
    Thread* lanes = w.threads + warp * WARP;
    int leader = __builtin_ctz(group), what = lanes[leader].what;
    for (unsigned rest = group; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (lanes[i].what != what || (what >= MATRIX && !same_instruction(lanes[i], lanes[leader]))) report_mismatch(lanes, leader, i);
    }
    if (what == MATRIX) compute_warp_matrix(w, warp, group);
    if (what == WARPGROUP) warpgroup_step(w, warp, group);
    if (!is_shuffle(what)) join_values(lanes, group, what);
    else for (unsigned rest = group; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        lanes[i].result = shuffle_result(lanes, i, group, wp.alive);
    }
    wp.collective &= ~group;
    make_runnable(w, warp, group);
    if (what != ACTIVE_MASK) warp_reconverged(w, warp, group, what == SYNC_WARP);
}

// The lanes that wait with `lane` for each other, or 0: one that its mask names is missing.
static inline unsigned complete_group_of(const Worker& w, int warp, int lane) {
    const Warp& wp = w.warps[warp];
    const Thread* lanes = w.threads + warp * WARP;
    const unsigned mask = lanes[lane].mask, need = mask & wp.alive;
    if ((wp.collective & need) != need || lanes[lane].what == ACTIVE_MASK) return 0;
    for (unsigned rest = wp.one_mask == mask ? 0 : need; rest; rest &= rest - 1) {
        const Thread& t = lanes[__builtin_ctz(rest)];
        if (t.mask != mask || t.what == ACTIVE_MASK) return 0;
    }
    return need;
}

void lane_left(Worker& w, int warp) {
    for (unsigned rest = w.warps[warp].collective; rest;) {
        const int lane = __builtin_ctz(rest);
        rest &= rest - 1;
        const unsigned group = complete_group_of(w, warp, lane);
        if (!group) continue;
        rest &= ~group;
        complete(w, warp, group);
    }
}

// Lanes wait for masks that can never be satisfied: says so and lets those that share a line go on together.
[[gnu::noinline]] static void report_mask(const Thread& me, unsigned lane, const Thread& other, int other_lane) {
    Finding("mismatched-mask", uint64_t(me.at.line), uint64_t(other.at.line)).at(me.at).other_at(other.at).here()
        .number("lane", lane).hex("mask", me.mask, 8).number("other_lane", other_lane).hex("other_mask", other.mask, 8).add();
}

bool resolve_active_mask(Worker& w, int warp) {
    Warp& wp = w.warps[warp];
    Thread* lanes = w.threads + warp * WARP;
    unsigned group = 0;
    int line = 0;
    for (unsigned rest = wp.collective; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (lanes[i].what != ACTIVE_MASK) continue;
        if (!group || lanes[i].at.line < line) {
            line = lanes[i].at.line;
            group = 0;
        }
        if (lanes[i].at.line == line) group |= 1u << i;
    }
    if (group) complete(w, warp, group);
    return group != 0;
}

[[gnu::noinline]] static void report_outside_mask(Site at, unsigned lane, unsigned mask) {
    Finding("lane-outside-mask", uint64_t(at.line)).at(at).here().number("lane", lane).hex("mask", mask, 8).add();
}

extern "C" uint64_t ok_collective(int what, unsigned mask, uint64_t value, int lane, int width, int bytes,
                                  int* predicate, Site at) {
    Worker& w = *worker;
    if (!w.current) {
        ok_unsupported("a warp collective outside a kernel", at);
        return 0;
    }
    Thread& me = *w.current;
    int warp = static_cast<int>(w.rank / WARP);
    Warp& wp = w.warps[warp];
    unsigned self = w.rank % WARP, bit = 1u << self;
    me.what = what;
    me.mask = mask;
    me.value = value;
    me.lane = lane;
    me.width = width;
    me.bytes = bytes;
    me.at = at;
    w.spins = 0;
    if (!(mask & bit)) {
        report_outside_mask(at, self, mask);
        me.mask = mask | bit;
    }
    const unsigned named = what == ACTIVE_MASK ? 0 : me.mask;
    wp.one_mask = !wp.collective || wp.one_mask == named ? named : 0;
    wp.collective |= bit;
    wp.runnable &= ~bit;
    if (what == ACTIVE_MASK) {
        w.active_mask_asked = true;
        yield();
        return me.result;
    }
    // A lane that my mask names waits already, with another mask that names me: neither can ever go on.
    unsigned conflict = wp.one_mask ? 0 : wp.collective & me.mask & ~bit;
    for (unsigned rest = conflict; rest; rest &= rest - 1) {
        int j = __builtin_ctz(rest);
        const Thread& other = w.threads[warp * WARP + j];
        if (other.what == ACTIVE_MASK || other.mask == me.mask || !(other.mask & bit)) continue;
        report_mask(other, j, me, static_cast<int>(self));
        end_launch(w);
        abandon_block();
    }
    // No other lanes than those that wait with me have waited for me.
    if (const unsigned group = complete_group_of(w, warp, static_cast<int>(self))) complete(w, warp, group);
    if (!(wp.runnable & bit)) yield();
    if (predicate) *predicate = me.predicate;
    return me.result;
}
}  // namespace __ok

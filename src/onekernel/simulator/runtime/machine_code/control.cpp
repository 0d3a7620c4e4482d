// How the lanes of a warp part and meet: branches, the barriers at which they meet again, calls.
#include <algorithm>

#include "lanes.h"

namespace __ok {
namespace machine {
static void release(WarpState& w, Barrier& b) {
    if (!b.arrived || (b.expected & w.alive) & ~b.arrived) return;
    w.ready.push_back({b.arrived, b.target});
    b = {};
}

static void leave(WarpState& w, uint32_t lanes) {
    w.alive &= ~lanes;
    for (Barrier& b : w.barriers) {
        b.expected &= ~lanes;
        release(w, b);
    }
}

// Lanes that wait for their warp go on, those of one place together.
static void gather(std::vector<Group>& waiting, WarpState& w) {
    for (const Group& g : waiting) {
        auto same = std::find_if(w.ready.begin(), w.ready.end(), [&](const Group& r) { return r.next == g.next; });
        if (same != w.ready.end()) same->lanes |= g.lanes;
        else w.ready.push_back(g);
    }
    waiting.clear();
}

static int32_t index_at(const Program& p, uint32_t at) {
    auto found = std::lower_bound(p.code.begin(), p.code.end(), static_cast<int32_t>(at),
                                  [](const Instruction& i, int32_t a) { return i.at < a; });
    return static_cast<int32_t>(found - p.code.begin());
}

static void jump(WarpState& w, const Group& g, uint32_t taken, int32_t target, Group& here) {
    uint32_t others = g.lanes & ~taken;
    if (taken && others) w.ready.push_back({others, here.next});
    here = taken ? Group{taken, target} : Group{others, here.next};
}

static void move_barrier(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Barrier& b = w.barriers[i.target & 15];
    if (i.destination.kind == REGISTER) {  // to a register
        Row out;
        for (int k = 0; k < WARP; k++) out[k] = b.expected;
        write(w, i.destination, out, lanes);
        w.saved[i.destination.value] = static_cast<uint32_t>(b.target);
        if (OK_HAS(i, CLEAR)) b = {};
    } else {
        Row room;
        const uint32_t* v = raw(m, w, i.operands[0], 0, room);
        b = {v[__builtin_ctz(lanes)], 0, static_cast<int32_t>(w.saved[i.operands[0].value & 255])};
    }
}

static void count_votes(Machine& m, const WarpState& w, const Instruction& i, uint32_t lanes) {
    if (!OK_HAS(i, RED)) return;
    uint32_t p = predicate(w, i.operands[1].kind ? i.operands[1] : i.operands[0]) & lanes;
    m.block.votes[0] += static_cast<uint32_t>(__builtin_popcount(p));
    if (i.mode == MODE_AND) m.block.votes[1] = m.block.votes[2] || p != lanes ? 0 : 1;
    else m.block.votes[1] |= p != 0;
    m.block.votes[2] |= i.mode == MODE_AND && p != lanes;
}

static void votes_of(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row out;
    bool truth = m.block.votes[1];
    for (int k = 0; k < WARP; k++) out[k] = i.mode == MODE_POPC ? m.block.votes[0] : truth;
    write(w, i.destination, out, lanes);
    if (i.predicates[0].kind) set_predicate(w, i.predicates[0], truth ? ~0u : 0, lanes);
}

// A branch, a barrier, an end. False: it was none. `here` is the group that runs; without lanes it has gone elsewhere.
static bool run_control(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes, Group& here) {
    const Group g{here.lanes, here.next};
    switch (i.op) {
    case OP_JUMP: here.next = i.target; return true;
    case OP_BRA:
        for (const Operand& o : i.operands)
            if (o.kind == PREDICATE || o.kind == UNIFORM_PREDICATE) lanes &= predicate(w, o);
        jump(w, g, lanes, i.target, here);
        return true;
    case OP_EXIT:
        here.lanes &= ~lanes;
        leave(w, lanes);
        return true;
    case OP_BSSY: w.barriers[i.site & 15] = {g.lanes, 0, i.target}; return true;
    case OP_BSYNC: {
        Barrier& b = w.barriers[i.site & 15];
        if (!(b.expected & lanes)) return true;
        b.arrived |= lanes;
        here.lanes &= ~lanes;
        release(w, b);
        return true;
    }
    case OP_BREAK: {
        for (const Operand& o : i.operands)
            if (o.kind == PREDICATE) lanes &= predicate(w, o);
        Barrier& b = w.barriers[i.site & 15];
        b.expected &= ~lanes;
        release(w, b);
        return true;
    }
    case OP_BAR:
        count_votes(m, w, i, lanes);
        if (lanes) w.at_barrier.push_back({lanes, here.next});
        here.lanes &= ~lanes;
        return true;
    case OP_MEET: case OP_WARPSYNC:
        if (g.lanes == w.alive) return true;
        w.at_meeting.push_back(here);
        here.lanes = 0;
        return true;
    case OP_CALL: jump(w, g, lanes, i.target, here); return true;
    case OP_RET: {
        Row room;
        const uint32_t* at = raw(m, w, i.operands[0], 0, room);
        jump(w, g, lanes, index_at(*m.program, at[__builtin_ctz(lanes ? lanes : 1)]), here);
        return true;
    }
    case OP_B2R: votes_of(m, w, i, lanes); return true;
    case OP_BMOV: move_barrier(m, w, i, lanes); return true;
    case OP_TRAP: if (lanes) m.failed = "trap"; return true;
    default: return false;
    }
}

static void run_group(Machine& m, WarpState& w, Group here) {
    const auto& code = m.program->code;
    while (here.lanes && !m.failed) {
        if (here.next < 0 || here.next >= static_cast<int32_t>(code.size())) {
            leave(w, here.lanes);
            return;
        }
        if (++m.steps > m.most_steps) {
            m.failed = "too long";
            return;
        }
        const Instruction& i = code[static_cast<size_t>(here.next++)];
        uint32_t lanes = here.lanes;
        if (i.guard.kind) lanes &= predicate(w, i.guard);
        if (i.op < OP_MOV) {
            run_control(m, w, i, lanes, here);
            continue;
        }
        if (!lanes) continue;
        bool known = i.op < OP_R2UR ? run_integer(m, w, i, lanes) : i.op < OP_I2F ? run_between_lanes(m, w, i, lanes, here.lanes)
                     : i.op < OP_LD ? run_floating(m, w, i, lanes) : run_access(m, w, i, lanes);
        if (!known) m.failed = "instruction";
    }
}

void run_warp(Machine& m, WarpState& w) {
    while (!m.failed) {
        if (!w.ready.empty()) {
            Group next = w.ready.back();
            w.ready.pop_back();
            run_group(m, w, next);
        } else if (!w.at_meeting.empty()) {
            gather(w.at_meeting, w);
        } else {
            // Lanes at a barrier of the block keep none of their warp from it: what waits for others alone can go on.
            bool stuck = false;
            if (w.at_barrier.empty())
                for (Barrier& b : w.barriers)
                    if (b.arrived) {
                        b.expected = b.arrived;
                        release(w, b);
                        stuck = true;
                        break;
                    }
            if (!stuck) return;
        }
    }
}
}  // namespace machine
}  // namespace __ok

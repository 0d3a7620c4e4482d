// What lanes tell each other, and what a warp knows of itself.
#include "apart.h"
#include "lanes.h"

namespace __ok {
namespace machine {
static void shuffle_lanes(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes, uint32_t group) {
    Row room[3], out;
    const uint32_t* v = integer(m, w, i.operands[0], room[0]);
    const uint32_t* by = integer(m, w, i.operands[1], room[1]);
    const uint32_t* limits = integer(m, w, i.operands[2], room[2]);
    uint32_t inside = 0;
    for (int k = 0; k < WARP; k++) {
        int b = static_cast<int>(by[k] & 31), segment = static_cast<int>(limits[k] >> 8 & 31), clamp = static_cast<int>(limits[k] & 31);
        int most = (k & segment) | (clamp & ~segment), least = k & segment, from = k;
        bool in = true;
        switch (i.mode) {
        case MODE_UP: from = k - b; in = from >= most; break;
        case MODE_DOWN: from = k + b; in = from <= most; break;
        case MODE_BFLY: from = k ^ b; in = from <= most; break;
        default: from = least | (b & ~segment); in = from <= most;
        }
        if (!in) from = k;
        inside |= uint32_t(in) << k;
        out[k] = v[from & 31];
    }
    (void)group;
    write(w, i.destination, out, lanes);
    if (i.predicates[0].kind) set_predicate(w, i.predicates[0], inside, lanes);
}

static void vote(WarpState& w, const Instruction& i, uint32_t lanes) {
    uint32_t p = predicate(w, i.operands[0]) & lanes;
    bool truth = i.mode == MODE_ALL ? p == lanes : i.mode == MODE_EQ ? p == lanes || !p : p != 0;
    Row out;
    for (int k = 0; k < WARP; k++) out[k] = p;
    write(w, i.destination, out, lanes);
    if (i.predicates[0].kind) set_predicate(w, i.predicates[0], truth ? ~0u : 0, lanes);
}

static void match(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[2], out;
    const uint32_t* a = integer(m, w, i.operands[0], room[0]);
    const uint32_t* b = OK_HAS(i, U64) ? integer(m, w, i.operands[0], room[1], 1) : a;
    uint32_t all = ~0u;
    for (int k = 0; k < WARP; k++) {
        out[k] = 0;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            int j = __builtin_ctz(rest);
            if (a[j] == a[k] && b[j] == b[k]) out[k] |= 1u << j;
        }
        if (lanes >> k & 1 && out[k] != lanes) all = 0;
    }
    if (i.mode == MODE_ALL)
        for (int k = 0; k < WARP; k++) out[k] = all & lanes;
    write(w, i.destination, out, lanes);
    if (i.predicates[0].kind) set_predicate(w, i.predicates[0], all, lanes);
}

static void reduce(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room, out;
    const uint32_t* v = integer(m, w, i.operands[0], room);
    uint32_t r = 0;
    bool first = true;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t x = v[__builtin_ctz(rest)];
        bool less = OK_HAS(i, S32) ? static_cast<int32_t>(x) < static_cast<int32_t>(r) : x < r;
        if (first) r = x;
        else if (i.mode == MODE_MIN) r = less ? x : r;
        else if (i.mode == MODE_MAX) r = less ? r : x;
        else if (i.mode == MODE_OR) r |= x;
        else if (i.mode == MODE_XOR) r ^= x;
        else if (i.mode == MODE_AND) r &= x;
        else r += x;
        first = false;
    }
    for (int k = 0; k < WARP; k++) out[k] = r;
    write(w, i.destination, out, lanes);
}

// Special registers, by the numbers that load.py gives them.
static uint32_t special_register(const Machine& m, const WarpState& w, int which, int k) {
    if (which < 3) return w.thread[which][k];
    if (which < 6) return m.block.index[which - 3];
    switch (which) {
    case 6: return static_cast<uint32_t>(k);
    case 7: return 1u << k;
    case 8: return (1u << k) - 1;
    case 9: return ~0u >> (31 - k);
    default: return 0;  // zero, the block's place in its cluster, clocks
    }
}

// A load of a constant, wherever its value goes: its lanes' places in the bank.
static void count_constant(WarpState& w, const Instruction& i, uint32_t lanes) {
    const int index = index_of(i.operands[0]);
    uint64_t places[WARP];
    int lane[WARP], count = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        lane[count] = __builtin_ctz(rest);
        places[count] = static_cast<uint32_t>(i.operands[0].value) + (index < ZERO ? w.row(index)[lane[count]] : 0);
        count++;
    }
    count_constants({i.site, places, lane, count, i.bytes});
}

bool run_between_lanes(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes, uint32_t group) {
    Row room, out;
    switch (i.op) {
    case OP_SHFL: shuffle_lanes(m, w, i, lanes, group); return true;
    case OP_VOTE: vote(w, i, lanes); return true;
    case OP_MATCH: match(m, w, i, lanes); return true;
    case OP_REDUX: reduce(m, w, i, lanes); return true;
    case OP_R2UR:
        write(w, i.destination, integer(m, w, i.operands[0], room), lanes, 0, __builtin_ctz(lanes));
        return true;
    case OP_S2R:
        for (int k = 0; k < WARP; k++) out[k] = special_register(m, w, i.target, k);
        write(w, i.destination, out, lanes);
        if (i.bytes == 8) {
            memset(out, 0, sizeof out);
            write(w, i.destination, out, lanes, 1);
        }
        return true;
    case OP_LDC:
        if (i.site >= 0) count_constant(w, i, lanes);
        if (i.addresses_only) return true;
        for (int word = 0; word < (i.bytes + 3) / 4; word++) {
            const uint32_t* v = raw(m, w, i.operands[0], word, room);
            uint32_t kept = i.bytes >= 4 ? ~0u : (1u << 8 * i.bytes) - 1;
            for (int k = 0; k < WARP; k++) {
                out[k] = v[k] & kept;
                if (OK_HAS(i, S8) && out[k] & 0x80) out[k] |= ~0xffu;
                if (OK_HAS(i, S16) && out[k] & 0x8000) out[k] |= ~0xffffu;
            }
            write(w, i.destination, out, lanes, word);
        }
        return true;
    default: return false;
    }
}
}  // namespace machine
}  // namespace __ok

// Arithmetic of integers, bits and predicates.
#include "lanes.h"

namespace __ok {
namespace machine {
template <class T, class F>
static uint32_t where(const uint32_t* a, const uint32_t* b, int n, F holds) {
    uint32_t truth = 0;
    for (int k = 0; k < n; k++) truth |= uint32_t(holds(static_cast<T>(a[k]), static_cast<T>(b[k]))) << k;
    return truth;
}

// One bit a lane. An instruction of the warp has one lane, whose bit is all lanes'.
template <class T>
static uint32_t compared(int mode, const uint32_t* a, const uint32_t* b, int n) {
    switch (mode) {
    case MODE_LT: return where<T>(a, b, n, [](T x, T y) { return x < y; });
    case MODE_EQ: return where<T>(a, b, n, [](T x, T y) { return x == y; });
    case MODE_LE: return where<T>(a, b, n, [](T x, T y) { return x <= y; });
    case MODE_GT: return where<T>(a, b, n, [](T x, T y) { return x > y; });
    case MODE_NE: return where<T>(a, b, n, [](T x, T y) { return x != y; });
    case MODE_GE: return where<T>(a, b, n, [](T x, T y) { return x >= y; });
    case MODE_T: return ~0u;
    default: return 0;
    }
}

static int width(const Instruction& i) { return i.uniform ? 1 : WARP; }
static uint32_t spread(const Instruction& i, uint32_t bits) { return !i.uniform ? bits : bits & 1 ? ~0u : 0; }

static uint32_t combined(const Instruction& i, uint32_t a, uint32_t b) {
    return OK_HAS(i, OR) ? a | b : OK_HAS(i, XOR) ? a ^ b : a & b;
}

static void set_both(WarpState& w, const Instruction& i, uint32_t truth, uint32_t other, uint32_t lanes) {
    set_predicate(w, i.predicates[1], combined(i, ~truth, other), lanes);
    set_predicate(w, i.predicates[0], combined(i, truth, other), lanes);
}

static void compare_integers(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[2];
    const uint32_t* a = integer(m, w, i.operands[0], room[0]);
    const uint32_t* b = integer(m, w, i.operands[1], room[1]);
    int n = width(i);
    uint32_t truth = spread(i, OK_HAS(i, U32) ? compared<uint32_t>(i.mode, a, b, n) : compared<int32_t>(i.mode, a, b, n));
    if (OK_HAS(i, EX)) {
        uint32_t same = spread(i, compared<uint32_t>(MODE_EQ, a, b, n));
        truth = (truth & ~same) | (predicate(w, i.operands[3]) & same);
    }
    set_both(w, i, truth, predicate(w, i.operands[2]), lanes);
}

// a + b + c with carries in and out. A negative operand is its complement and one more, which may carry.
static void add_three(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[3], out;
    const uint32_t* v[3];
    for (int k = 0; k < 3; k++) v[k] = raw(m, w, i.operands[k], 0, room[k]);
    uint32_t in[2] = {OK_HAS(i, X) ? predicate(w, i.operands[3]) : 0, OK_HAS(i, X) ? predicate(w, i.operands[4]) : 0};
    uint32_t flip[3], more = 0, once = 0, twice = 0;
    for (int j = 0; j < 3; j++) {
        flip[j] = i.operands[j].flags & (NEGATIVE | INVERTED) ? ~0u : 0;
        more += i.operands[j].flags & NEGATIVE ? 1 : 0;
    }
    int n = width(i);
    if (!OK_HAS(i, X) && !i.predicates[0].kind) {
        for (int k = 0; k < n; k++) out[k] = (v[0][k] ^ flip[0]) + (v[1][k] ^ flip[1]) + (v[2][k] ^ flip[2]) + more;
        write(w, i.destination, out, lanes);
        return;
    }
    for (int k = 0; k < n; k++) {
        uint64_t sum = uint64_t(v[0][k] ^ flip[0]) + (v[1][k] ^ flip[1]) + (v[2][k] ^ flip[2]) + more + (in[0] >> k & 1) + (in[1] >> k & 1);
        out[k] = static_cast<uint32_t>(sum);
        once |= uint32_t(sum >> 32 >= 1) << k;
        twice |= uint32_t(sum >> 32 >= 2) << k;
    }
    write(w, i.destination, out, lanes);
    set_predicate(w, i.predicates[0], spread(i, once), lanes);
    set_predicate(w, i.predicates[1], spread(i, twice), lanes);
}

static void multiply_add(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[4], low, high;
    bool wide = OK_HAS(i, WIDE) || OK_HAS(i, HI), is_unsigned = OK_HAS(i, U32);
    const uint32_t* a = integer(m, w, i.operands[0], room[0]);
    const uint32_t* b = integer(m, w, i.operands[1], room[1]);
    if (!wide) {
        const uint32_t* c = integer(m, w, i.operands[2], room[2]);
        uint32_t in = OK_HAS(i, X) ? predicate(w, i.operands[3]) : 0;
        int n = width(i);
        if (in)
            for (int k = 0; k < n; k++) low[k] = a[k] * b[k] + c[k] + (in >> k & 1);
        else
            for (int k = 0; k < n; k++) low[k] = a[k] * b[k] + c[k];
        write(w, i.destination, low, lanes);
        return;
    }
    const Operand& third = i.operands[2];
    const uint32_t* c = raw(m, w, third, 0, room[2]);
    const uint32_t* d = raw(m, w, third, 1, room[3]);
    uint32_t in = OK_HAS(i, X) ? predicate(w, i.operands[3]) : 0, carry = 0;
    for (int k = 0, n = width(i); k < n; k++) {
        uint64_t product = is_unsigned ? uint64_t(a[k]) * b[k]
                                       : static_cast<uint64_t>(int64_t(static_cast<int32_t>(a[k])) * static_cast<int32_t>(b[k]));
        uint64_t add = uint64_t(d[k]) << 32 | c[k];
        if (third.kind == IMMEDIATE) add = static_cast<uint64_t>(int64_t(static_cast<int32_t>(c[k])));
        if (third.flags & (NEGATIVE | INVERTED)) add = ~add;
        uint64_t more = (in >> k & 1) + uint64_t(third.flags & NEGATIVE ? 1 : 0), partly = product + add, sum = partly + more;
        carry |= uint32_t(partly < product || sum < partly) << k;
        low[k] = static_cast<uint32_t>(OK_HAS(i, HI) ? sum >> 32 : sum);
        high[k] = static_cast<uint32_t>(sum >> 32);
    }
    write(w, i.destination, low, lanes);
    if (OK_HAS(i, WIDE)) write(w, i.destination, high, lanes, 1);
    set_predicate(w, i.predicates[0], spread(i, carry), lanes);
}

// b + (a << shift), or the upper half of (c:a << shift), with b added and a carry. A negative operand is its complement and one more, which
// may carry: what is subtracted from is then no smaller.
static void shift_add(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[4], out;
    bool high = OK_HAS(i, HI), extends = OK_HAS(i, SX32);
    int at = 2;
    const Operand &first = i.operands[0], &second = i.operands[1];
    bool subtracts_a = !high && first.flags == NEGATIVE;
    const uint32_t* a = subtracts_a ? raw(m, w, first, 0, room[0]) : integer(m, w, first, room[0]);
    const uint32_t* b = raw(m, w, second, 0, room[1]);
    const uint32_t* c = nullptr;
    if (high && !extends) c = integer(m, w, i.operands[at++], room[2]);
    const uint32_t* by = integer(m, w, i.operands[at++], room[3]);
    uint32_t in = OK_HAS(i, X) ? predicate(w, i.operands[at]) : 0, carry = 0;
    uint32_t flip_a = subtracts_a ? ~0u : 0, flip_b = second.flags & (NEGATIVE | INVERTED) ? ~0u : 0;
    uint32_t more = uint32_t(subtracts_a) + uint32_t(second.flags & NEGATIVE ? 1 : 0);
    for (int k = 0, n = width(i); k < n; k++) {
        uint64_t value = extends ? static_cast<uint64_t>(int64_t(static_cast<int32_t>(a[k]))) : uint64_t(c ? c[k] : 0) << 32 | a[k];
        value <<= by[k] & 63;
        uint32_t part = static_cast<uint32_t>(high ? value >> 32 : value);
        uint64_t sum = uint64_t(part ^ flip_a) + (b[k] ^ flip_b) + more + (in >> k & 1);
        out[k] = static_cast<uint32_t>(sum);
        carry |= uint32_t(sum >> 32 != 0) << k;
    }
    write(w, i.destination, out, lanes);
    set_predicate(w, i.predicates[0], spread(i, carry), lanes);
}

static void shift(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[3], out;
    const uint32_t* low = integer(m, w, i.operands[0], room[0]);
    const uint32_t* by = integer(m, w, i.operands[1], room[1]);
    const uint32_t* high = integer(m, w, i.operands[2], room[2]);
    bool is_signed = OK_HAS(i, S32) || OK_HAS(i, S64), left = OK_HAS(i, L);
    uint32_t most = OK_HAS(i, U64) || OK_HAS(i, S64) ? 63 : 32;
    for (int k = 0, n = width(i); k < n; k++) {
        uint64_t v = uint64_t(high[k]) << 32 | low[k];
        uint32_t s = OK_HAS(i, W) ? by[k] & (most == 63 ? 63 : 31) : by[k] < most ? by[k] : most;
        uint64_t r = left ? v << s : is_signed ? static_cast<uint64_t>(static_cast<int64_t>(v) >> s) : v >> s;
        out[k] = static_cast<uint32_t>(OK_HAS(i, HI) ? r >> 32 : r);
    }
    write(w, i.destination, out, lanes);
}

static uint32_t by_table(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t r = 0;
    for (int k = 0; k < 8; k++)
        if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}

static void logic(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[3], out;
    const uint32_t* v[3];
    for (int k = 0; k < 3; k++) v[k] = integer(m, w, i.operands[k], room[k]);
    uint32_t table = static_cast<uint32_t>(i.operands[3].value), any = 0;
    int n = width(i);
    if (table == 0xc0) {  // a & b, by far the commonest
        for (int k = 0; k < n; k++) out[k] = v[0][k] & v[1][k];
    } else {
        for (int k = 0; k < n; k++) out[k] = 0;
        for (int t = 0; t < 8; t++) {
            if (!(table >> t & 1)) continue;
            uint32_t x = t & 4 ? 0 : ~0u, y = t & 2 ? 0 : ~0u, z = t & 1 ? 0 : ~0u;
            for (int k = 0; k < n; k++) out[k] |= (v[0][k] ^ x) & (v[1][k] ^ y) & (v[2][k] ^ z);
        }
    }
    if (i.predicates[0].kind) {
        for (int k = 0; k < n; k++) any |= uint32_t(out[k] != 0) << k;
        set_predicate(w, i.predicates[0], spread(i, any) | predicate(w, i.operands[4]), lanes);
    }
    write(w, i.destination, out, lanes);
}

static void predicate_logic(WarpState& w, const Instruction& i, uint32_t lanes) {
    uint32_t v[3];
    for (int k = 0; k < 3; k++) v[k] = predicate(w, i.operands[k]);
    uint32_t first = by_table(v[0], v[1], v[2], static_cast<uint32_t>(i.operands[3].value));
    uint32_t second = by_table(v[0], v[1], v[2], static_cast<uint32_t>(i.operands[4].value));
    set_predicate(w, i.predicates[0], first, lanes);
    set_predicate(w, i.predicates[1], second, lanes);
}

static uint32_t permuted(uint32_t a, uint32_t selector, uint32_t b) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t out = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t s = selector >> 4 * k & 15;
        uint32_t byte = both >> 8 * (s & 7) & 255;
        if (s & 8) byte = byte & 128 ? 255 : 0;
        out |= byte << 8 * k;
    }
    return out;
}

static uint32_t reversed(uint32_t v) {
    uint32_t r = 0;
    for (int k = 0; k < 32; k++) r |= (v >> k & 1) << (31 - k);
    return r;
}

static uint32_t leading(const Instruction& i, uint32_t v) {
    if (!OK_HAS(i, U32) && static_cast<int32_t>(v) < 0) v = ~v;
    if (!v) return ~0u;
    uint32_t zeros = static_cast<uint32_t>(__builtin_clz(v));
    return OK_HAS(i, SH) ? zeros : 31 - zeros;
}

static uint32_t extended(const Instruction& i, uint32_t v, uint32_t bits) {
    if (OK_HAS(i, W)) bits &= 31;
    if (bits >= 32) return v;
    if (!bits) return 0;
    uint32_t kept = v & ((1u << bits) - 1);
    return !OK_HAS(i, U32) && v >> (bits - 1) & 1 ? kept | ~0u << bits : kept;
}

static uint32_t mask(const Instruction& i, uint32_t from, uint32_t width) {
    if (OK_HAS(i, W)) from &= 31;
    uint64_t ones = width >= 32 ? 0xffffffffull : (1ull << width) - 1;
    return from >= 32 ? 0 : static_cast<uint32_t>(ones << from);
}

static uint32_t smaller_or_larger(const Instruction& i, uint32_t a, uint32_t b, bool smaller) {
    bool less = OK_HAS(i, U32) ? a < b : static_cast<int32_t>(a) < static_cast<int32_t>(b);
    return less == smaller ? a : b;
}

static uint32_t plain(const Instruction& i, uint32_t a, uint32_t b, uint32_t c, bool p) {
    switch (i.op) {
    case OP_MOV: return a;
    case OP_SEL: return p ? a : b;
    case OP_VIADD: return a + b;
    case OP_PRMT: return permuted(a, b, c);
    case OP_IABS: return static_cast<int32_t>(a) < 0 ? -a : a;
    case OP_VIMNMX: return smaller_or_larger(i, a, b, p);
    case OP_VIADDMNMX: return smaller_or_larger(i, a + b, c, p);
    case OP_POPC: return static_cast<uint32_t>(__builtin_popcount(a));
    case OP_FLO: return leading(i, a);
    case OP_BREV: return reversed(a);
    case OP_SGXT: return extended(i, a, b);
    default: return mask(i, a, b);  // BMSK
    }
}

static void predicates_to_register(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[2], out;
    const uint32_t* base = integer(m, w, i.operands[0], room[0]);
    const uint32_t* kept = integer(m, w, i.operands[1], room[1]);
    for (int k = 0; k < WARP; k++) {
        uint32_t bits = 0;
        for (int p = 0; p < 7; p++) bits |= (w.predicates[p] >> k & 1) << p;
        out[k] = (base[k] & ~kept[k]) | (bits & kept[k]);
    }
    write(w, i.destination, out, lanes);
}

static void register_to_predicates(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    Row room[2];
    const uint32_t* v = integer(m, w, i.operands[0], room[0]);
    const uint32_t* set = integer(m, w, i.operands[1], room[1]);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        for (int p = 0; p < 7; p++)
            if (set[k] >> p & 1) w.predicates[p] = (w.predicates[p] & ~(1u << k)) | ((v[k] >> p & 1) << k);
    }
}

bool run_integer(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    switch (i.op) {
    case OP_ISETP: compare_integers(m, w, i, lanes); return true;
    case OP_IADD3: add_three(m, w, i, lanes); return true;
    case OP_IMAD: multiply_add(m, w, i, lanes); return true;
    case OP_LEA: shift_add(m, w, i, lanes); return true;
    case OP_SHF: shift(m, w, i, lanes); return true;
    case OP_LOP3: logic(m, w, i, lanes); return true;
    case OP_PLOP3: predicate_logic(w, i, lanes); return true;
    case OP_P2R: predicates_to_register(m, w, i, lanes); return true;
    case OP_R2P: register_to_predicates(m, w, i, lanes); return true;
    case OP_MOV: case OP_SEL: case OP_VIADD: case OP_PRMT: case OP_IABS: case OP_VIMNMX: case OP_VIADDMNMX: case OP_POPC:
    case OP_FLO: case OP_BREV: case OP_SGXT: case OP_BMSK: break;
    default: return false;
    }
    Row room[3], out;
    const uint32_t* a = integer(m, w, i.operands[0], room[0]);
    const uint32_t* b = integer(m, w, i.operands[1], room[1]);
    const uint32_t* c = integer(m, w, i.operands[2], room[2]);
    uint32_t p = 0;
    for (const Operand& o : i.operands)
        if (o.kind == PREDICATE || o.kind == UNIFORM_PREDICATE) p = predicate(w, o);
    int n = width(i);
    if (i.op == OP_MOV) {
        write(w, i.destination, a, lanes);
        return true;
    }
    if (i.op == OP_VIADD)
        for (int k = 0; k < n; k++) out[k] = a[k] + b[k];
    else
        for (int k = 0; k < n; k++) out[k] = plain(i, a[k], b[k], c[k], p >> k & 1);
    write(w, i.destination, out, lanes);
    return true;
}
}  // namespace machine
}  // namespace __ok

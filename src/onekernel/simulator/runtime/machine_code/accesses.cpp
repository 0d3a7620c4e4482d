// Accesses to memory: counted as requests of a warp, and carried out where a value of them matters.
#include <cmath>

#include <algorithm>

#include "../checkers/counters.h"
#include "../checkers/requests.h"
#include "../memory/access.h"
#include "../memory/memory.h"
#include "apart.h"
#include "lanes.h"

namespace __ok {
namespace machine {
constexpr uint64_t SHARED_ADDRESSES = uint64_t(1) << 24;

struct Lanes {
    uint64_t address[WARP];
    int lane[WARP];
    int count;
};

static bool is_shared(int op) { return op == OP_LDS || op == OP_STS || op == OP_LDSM || op == OP_ATOMS; }
static bool is_local(int op) { return op == OP_LDL || op == OP_STL; }
static bool is_write(int op) { return op == OP_STG || op == OP_ST || op == OP_STS || op == OP_STL; }

static void addresses_of(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes, Lanes& out, int first = 0) {
    Row room[4];
    const Operand &base = i.operands[first], &uniform = i.operands[first + 1];
    const uint32_t* low = raw(m, w, base, 0, room[0]);
    bool wide = base.extra & 1, uniform_wide = uniform.extra & 1;
    const uint32_t* high = wide ? raw(m, w, base, 1, room[1]) : nullptr;
    uint64_t add = raw(m, w, uniform, 0, room[2], false)[0];
    if (uniform_wide || (!wide && base.value == ZERO && i.op != OP_LDS)) add |= uint64_t(raw(m, w, uniform, 1, room[3], false)[0]) << 32;
    bool global = !is_shared(i.op) && !is_local(i.op) && !(i.op == OP_LDGSTS && first == 0);
    int64_t offset = static_cast<int32_t>(i.operands[first + 2].value);
    out.count = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        uint64_t address = ((wide ? uint64_t(high[k]) << 32 : 0) | low[k]) << (base.extra >> 1);
        address += add + static_cast<uint64_t>(offset);
        out.lane[out.count] = k;
        out.address[out.count++] = global ? address : static_cast<uint32_t>(address);
    }
}

static void count(const Instruction& i, const Lanes& l, int bytes, bool shared, bool write) {
    RequestKind kind{static_cast<uint32_t>(i.site), static_cast<uint8_t>(bytes), static_cast<uint8_t>(write ? WRITES : 0), shared};
    Shape* shape = l.count == WARP ? &shape_of(*worker->counters->requests, kind, l.address) : nullptr;
    if (l.count) count_request(*worker, {0, kind, l.address, l.lane, nullptr, l.count, false, shape});
}

// Where `bytes` at an address lie in this process, or null.
static uint8_t* reach(Machine& m, WarpState& w, const Instruction& i, uint64_t address, int lane, int bytes) {
    if (is_shared(i.op)) {
        uint64_t at = address & (SHARED_ADDRESSES - 1);
        if (at + bytes > m.block.shared.size()) m.failed = "shared address";
        return m.failed ? nullptr : m.block.shared.data() + at;
    }
    if (is_local(i.op)) {
        if (w.local.empty()) w.local.resize(size_t(WARP) * LOCAL_BYTES);
        if (address + bytes > LOCAL_BYTES) m.failed = "local address";
        return m.failed ? nullptr : w.local.data() + size_t(lane) * LOCAL_BYTES + address;
    }
    uintptr_t offset = address - heap_base;
    const Allocation* a = offset < HEAP_BYTES ? &owner_of(offset) : symbol_at(address);
    if (!a || address < a->base || address + bytes > a->end) {
        m.failed = "global address";
        return nullptr;
    }
    return reinterpret_cast<uint8_t*>(address);
}

static void load(Machine& m, WarpState& w, const Instruction& i, const Lanes& l) {
    for (int n = 0; n < l.count; n++) {
        const uint8_t* from = reach(m, w, i, l.address[n], l.lane[n], i.bytes);
        if (!from) return;
        for (int word = 0; word < (i.bytes + 3) / 4; word++) {
            uint32_t v = 0;
            memcpy(&v, from + 4 * word, i.bytes < 4 ? i.bytes : 4);
            if (OK_HAS(i, S8)) v = static_cast<uint32_t>(int32_t(static_cast<int8_t>(v)));
            if (OK_HAS(i, S16)) v = static_cast<uint32_t>(int32_t(static_cast<int16_t>(v)));
            if (i.destination.kind == UNIFORM && i.destination.value != ZERO) w.uniforms[(i.destination.value + word) % UNIFORMS] = v;
            else if (i.destination.value != ZERO) w.row(i.destination.value + word)[l.lane[n]] = v;
        }
    }
}

static void store(Machine& m, WarpState& w, const Instruction& i, const Lanes& l) {
    Row room[4];
    const uint32_t* v[4];
    int words = (i.bytes + 3) / 4;
    for (int word = 0; word < words; word++) v[word] = raw(m, w, i.operands[3], word, room[word]);
    for (int n = 0; n < l.count; n++) {
        uint8_t* to = reach(m, w, i, l.address[n], l.lane[n], i.bytes);
        if (!to) return;
        for (int word = 0; word < words; word++) memcpy(to + 4 * word, &v[word][l.lane[n]], i.bytes < 4 ? i.bytes : 4);
    }
}

static uint64_t updated(const Instruction& i, uint64_t old, uint64_t v, uint64_t other) {
    auto added = [&](auto zero) {
        auto a = zero, b = zero;
        memcpy(&a, &old, sizeof a);
        memcpy(&b, &v, sizeof b);
        a += b;
        uint64_t r = 0;
        memcpy(&r, &a, sizeof a);
        return r;
    };
    bool is_signed = OK_HAS(i, S32) || OK_HAS(i, S64);
    auto less = [&](uint64_t a, uint64_t b) {
        if (!is_signed) return a < b;
        return i.bytes == 8 ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : static_cast<int32_t>(a) < static_cast<int32_t>(b);
    };
    switch (i.mode) {
    case MODE_ADD: return OK_HAS(i, F64) ? added(0.0) : OK_HAS(i, F32) ? added(0.0f) : old + v;
    case MODE_MIN: return less(v, old) ? v : old;
    case MODE_MAX: return less(old, v) ? v : old;
    case MODE_AND: return old & v;
    case MODE_OR: return old | v;
    case MODE_XOR: return old ^ v;
    case MODE_EXCH: return v;
    case MODE_INC: return old >= v ? 0 : old + 1;
    case MODE_DEC: return !old || old > v ? v : old - 1;
    case MODE_POPC: return old + 1;
    default: return old == v ? other : old;  // compare and swap
    }
}

// `in`: a bit of each lane, by its place, that is let in; the others find what they did not expect.
static void atomic(Machine& m, WarpState& w, const Instruction& i, const Lanes& l, uint32_t in) {
    Row room[4];
    bool wide = i.bytes == 8;
    const uint32_t* v[4] = {raw(m, w, i.operands[3], 0, room[0]), raw(m, w, i.operands[3], 1, room[1]),
                            raw(m, w, i.operands[4], 0, room[2]), raw(m, w, i.operands[4], 1, room[3])};
    for (int n = 0; n < l.count; n++) {
        int k = l.lane[n];
        uint8_t* at = reach(m, w, i, l.address[n], k, i.bytes);
        if (!at) return;
        uint64_t old = 0, first = v[0][k] | (wide ? uint64_t(v[1][k]) << 32 : 0), second = v[2][k] | (wide ? uint64_t(v[3][k]) << 32 : 0);
        memcpy(&old, at, i.bytes);
        const bool late = !(in >> n & 1);
        uint64_t now = late ? old : updated(i, old, first, second);
        memcpy(at, &now, i.bytes);
        if (i.destination.kind != REGISTER || i.destination.value == ZERO) continue;
        if (i.mode == MODE_CAST) {  // compare and swap that tells whether it did
            w.row(i.destination.value)[k] = !late && old == first;
            if (wide) w.row(i.destination.value + 1)[k] = 0;
            continue;
        }
        w.row(i.destination.value)[k] = static_cast<uint32_t>(old);
        if (wide) w.row(i.destination.value + 1)[k] = static_cast<uint32_t>(old >> 32);
    }
}

// Eight lanes give the addresses of a matrix's rows, of 16 bytes each.
static void load_matrices(Machine& m, const Instruction& i, const Lanes& l) {
    int matrices = i.bytes / 4;
    Lanes rows = l;
    rows.count = std::min(l.count, 8 * matrices);
    count(i, rows, 16, true, false);
    if (!i.addresses_only) m.failed = "a value that ldmatrix loads";
}

// What each lane copies to shared memory: of `from` as many bytes as it reads, zeros behind them.
static void copy(Machine& m, WarpState& w, const Instruction& i, const Lanes& to, const Lanes& from, uint32_t reading, uint64_t rest) {
    Instruction shared = i, global = i;
    shared.op = OP_STS;
    global.op = OP_LDG;
    for (int n = 0; n < to.count; n++) {
        uint8_t* at = reach(m, w, shared, to.address[n], to.lane[n], i.bytes);
        if (!at) return;
        const int bytes = reading >> to.lane[n] & 1 ? i.bytes - static_cast<int>(from.address[n] & rest) : 0;
        const uint8_t* source = bytes ? reach(m, w, global, from.address[n] & ~rest, from.lane[n], bytes) : nullptr;
        if (bytes && !source) return;
        memset(at, 0, static_cast<size_t>(i.bytes));
        if (bytes) memcpy(at, source, static_cast<size_t>(bytes));
    }
}

bool run_access(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes) {
    if (i.op < OP_LD) return false;
    Lanes l;
    addresses_of(m, w, i, lanes, l);
    if (i.op == OP_LDSM) {
        load_matrices(m, i, l);
        return true;
    }
    if (i.op == OP_LDGSTS) {
        // ncu counts the copy as a load of global memory, and as no store to shared memory.
        const uint32_t reading = i.predicates[0].kind ? lanes & predicate(w, i.predicates[0]) : lanes;
        Lanes every, from;
        addresses_of(m, w, i, lanes, every, 3);
        addresses_of(m, w, i, reading, from, 3);
        const bool fills = OK_HAS(i, ZFILL);
        // The bytes that are not read stand in the address, which is a multiple of the whole otherwise.
        const uint64_t rest = fills ? static_cast<uint64_t>(i.bytes) - 1 : 0;
        for (int n = 0; n < from.count; n++) from.address[n] &= ~rest;
        count(i, from, i.bytes, false, false);
        if (!i.addresses_only) copy(m, w, i, l, every, reading, rest);
        return true;
    }
    bool is_atomic = i.op >= OP_ATOMG;
    const Sent sent{i.site, l.address, l.lane, l.count, i.bytes};
    const uint32_t in = i.mode == MODE_CAST ? let_in(sent) : ~0u;
    // How many atomics threads make is counted from the kernel as the simulator runs it.
    if (is_local(i.op)) count_local(sent, is_write(i.op));
    else if (!is_atomic) count(i, l, i.bytes, is_shared(i.op), is_write(i.op));
    else if (is_shared(i.op) && i.mode == MODE_CAST) count_shared_turn(sent, in);
    else if (is_shared(i.op)) count_shared_atomic(sent, i.mode == MODE_CAS);
    else count_atomic(sent, i.op == OP_ATOMG, i.mode == MODE_CAS);
    if (i.addresses_only) return true;
    if (is_atomic) atomic(m, w, i, l, in);
    else if (is_write(i.op)) store(m, w, i, l);
    else load(m, w, i, l);
    return true;
}
}  // namespace machine
}  // namespace __ok

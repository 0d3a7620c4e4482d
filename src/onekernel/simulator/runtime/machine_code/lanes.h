// A warp that runs machine code: its registers lane by lane, and what an operand is worth in each lane.
#pragma once

#include <cstring>
#include <vector>

#include "program.h"

namespace __ok {
namespace machine {
using Row = uint32_t[WARP];

struct Group {  // lanes that run together
    uint32_t lanes;
    int32_t next;
};
struct Barrier {  // a point where lanes that parted meet again
    uint32_t expected, arrived;
    int32_t target;
};

struct WarpState {
    std::vector<uint32_t> registers;  // WARP for each
    uint32_t uniforms[UNIFORMS] = {};
    uint32_t predicates[8] = {};      // one bit a lane
    uint32_t uniform_predicates = 0;  // one bit a predicate
    Barrier barriers[16] = {};
    std::vector<Group> ready, at_barrier, at_meeting;
    uint32_t alive = 0;
    uint32_t saved[REGISTERS] = {};   // targets of barriers that lie in a register
    std::vector<uint8_t> local;       // each lane's local memory, made when first used
    Row thread[3];                    // threadIdx

    uint32_t* row(int r) { return registers.data() + r * WARP; }
};

constexpr uint32_t LOCAL_BYTES = 16384;

struct Block {
    uint32_t index[3];
    std::vector<uint8_t> shared;
    uint32_t votes[3] = {};  // of a barrier that counts: how many, all, any
};

struct Machine {
    const Program* program;
    std::vector<uint8_t> constants[CONSTANT_BANKS];
    uint32_t grid[3], block_shape[3];
    Block block;
    uint64_t steps = 0, most_steps = 0;
    const char* failed = nullptr;  // why it could not go on
};

inline uint32_t constant(Machine& m, int bank, uint32_t offset) {
    uint32_t value = 0;
    const auto& bytes = m.constants[bank < CONSTANT_BANKS ? bank : 0];
    if (bank >= CONSTANT_BANKS || offset + 4 > bytes.size()) m.failed = "constant";
    else memcpy(&value, bytes.data() + offset, 4);
    return value;
}

inline int index_of(const Operand& constant) { return constant.extra >> 8 & 511; }

inline uint32_t with_sign(uint32_t v, int flags) {  // of an integer
    if (flags & ABSOLUTE) v = static_cast<int32_t>(v) < 0 ? -v : v;
    if (flags & NEGATIVE) v = -v;
    return flags & INVERTED ? ~v : v;
}

// The bits of an operand before signs, in each lane, or unless `everywhere` in the first alone where all are the same;
// `word`: 1 for the upper half of a pair.
inline const uint32_t* raw(Machine& m, WarpState& w, const Operand& o, int word, uint32_t* room, bool everywhere = true) {
    uint32_t same = 0;
    switch (o.kind) {
    case REGISTER:
        if (o.value != ZERO) return w.row(o.value + word);
        break;
    case UNIFORM:
        if (o.value != ZERO) same = w.uniforms[(o.value + word) % UNIFORMS];
        break;
    case IMMEDIATE: same = word ? 0 : static_cast<uint32_t>(o.value); break;
    case CONSTANT: {
        int bank = o.extra & 255, index = index_of(o);
        uint32_t offset = static_cast<uint32_t>(o.value) + 4 * word;
        if (index > ZERO) offset += w.uniforms[(index - UNIFORM_INDEX) % UNIFORMS];
        if (index < ZERO) {
            const uint32_t* at = w.row(index);
            for (int i = 0; i < WARP; i++) room[i] = constant(m, bank, offset + at[i]);
            return room;
        }
        same = constant(m, bank, offset);
        break;
    }
    default: break;
    }
    room[0] = same;
    if (everywhere)
        for (int i = 1; i < WARP; i++) room[i] = same;
    return room;
}

// An integer operand with its signs.
inline const uint32_t* integer(Machine& m, WarpState& w, const Operand& o, uint32_t* room, int word = 0) {
    const uint32_t* v = raw(m, w, o, word, room);
    if (!o.flags) return v;
    for (int i = 0; i < WARP; i++) room[i] = with_sign(v[i], o.flags);
    return room;
}

// A predicate operand, one bit a lane.
inline uint32_t predicate(const WarpState& w, const Operand& o) {
    uint32_t bits = ~0u;
    if (o.kind == PREDICATE && o.value != ALWAYS) bits = w.predicates[o.value];
    else if (o.kind == UNIFORM_PREDICATE && o.value != ALWAYS) bits = w.uniform_predicates >> o.value & 1 ? ~0u : 0u;
    else if (o.kind == NOTHING) return 0;
    return o.flags & INVERTED ? ~bits : bits;
}

inline void set_predicate(WarpState& w, const Operand& o, uint32_t bits, uint32_t lanes) {
    if (o.value == ALWAYS) return;
    if (o.kind == PREDICATE) w.predicates[o.value] = (w.predicates[o.value] & ~lanes) | (bits & lanes);
    if (o.kind == UNIFORM_PREDICATE)
        w.uniform_predicates = (w.uniform_predicates & ~(1u << o.value)) | ((bits & lanes ? 1u : 0u) << o.value);
}

// `first`: of a uniform register, the lane whose value it gets.
inline void write(WarpState& w, const Operand& o, const uint32_t* v, uint32_t lanes, int word = 0, int first = 0) {
    if (o.value == ZERO || !lanes) return;  // nobody reads it
    if (o.kind == UNIFORM) {
        w.uniforms[(o.value + word) % UNIFORMS] = v[first];
        return;
    }
    if (o.kind != REGISTER) return;
    uint32_t* out = w.row(o.value + word);
    if (lanes == ~0u) memcpy(out, v, sizeof(Row));
    else
        for (uint32_t rest = lanes; rest; rest &= rest - 1) out[__builtin_ctz(rest)] = v[__builtin_ctz(rest)];
}

// arithmetic.cpp, floating.cpp, accesses.cpp: run one instruction in `lanes`; false: it is none of theirs.
bool run_integer(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes);
bool run_floating(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes);
bool run_between_lanes(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes, uint32_t group);
bool run_access(Machine& m, WarpState& w, const Instruction& i, uint32_t lanes);
// control.cpp: runs a warp until it ends, or all its lanes wait at a barrier.
void run_warp(Machine& m, WarpState& w);
}  // namespace machine
}  // namespace __ok

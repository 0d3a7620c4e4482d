// A kernel's machine code, as NVIDIA's compiler made it, reduced to what decides its accesses to memory. Python reads the
// disassembly (simulator/machine_code); here it is run warp by warp, and its requests are counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../api/ok/card.h"

namespace __ok {
namespace machine {
#define MODE(name)
#define MODIFIER(name)
#define OPERATION(name) OP_##name,
enum Operation : int32_t {
#include "names.inc"
};
#undef OPERATION
#undef MODE
#define OPERATION(name)
#define MODE(name) MODE_##name,
enum Mode : int32_t {
#include "names.inc"
};
#undef MODE
#undef MODIFIER
#define MODE(name)
#define MODIFIER(name) BIT_##name,
enum ModifierBit : int32_t {
#include "names.inc"
};
#undef OPERATION
#undef MODE
#undef MODIFIER
#define OK_HAS(i, name) (((i).modifiers >> BIT_##name) & 1)

enum Kind : int32_t { NOTHING, REGISTER, UNIFORM, IMMEDIATE, CONSTANT, PREDICATE, UNIFORM_PREDICATE, SPECIAL };
enum Flag : int32_t { NEGATIVE = 1, ABSOLUTE = 2, INVERTED = 4, LOW_HALF = 8, HIGH_HALF = 16 };
constexpr int ZERO = 255, ALWAYS = 7, REGISTERS = 256, UNIFORMS = 64, UNIFORM_INDEX = 256, CONSTANT_BANKS = 5;

struct Operand {
    int32_t kind, value, flags;
    int32_t extra;  // of a constant: its bank, and from bit 8 the register of its index, or 256 more of a uniform one; of an address: 1 if 64 bits, scale from bit 1
};
struct Instruction {
    int32_t op, mode;
    int32_t low, high;           // modifiers
    int32_t bytes, uniform, at;  // what a lane moves; executed once for the warp; where it stands in the code
    int32_t site, target;        // number of its access, for the counts; index that it goes to
    int32_t addresses_only;      // of an access: what it moves matters to nobody
    Operand guard, destination, predicates[2], operands[6];
    uint64_t modifiers;          // of low and high
};
constexpr int FIELDS = 10 + 4 * 10;  // 32-bit numbers of an instruction as Python passes it

struct Parameter {
    uint32_t offset, bytes;
};
struct Variable {  // a __device__ or __constant__ variable: where the code finds its address, or itself
    std::string name;
    int bank;
    uint32_t offset, bytes;
};
struct Program {
    std::string name, plain_name;  // mangled, and as the file calls it
    std::string unreadable;        // why there is no code
    uint64_t offset = 0;           // of the kernel that the simulator runs, in this object
    std::vector<Instruction> code;
    std::vector<Parameter> parameters;
    std::vector<Variable> variables;
    std::vector<uint8_t> constants[CONSTANT_BANKS];
    uint32_t parameter_base = 0, static_shared = 0;
    bool values_global = false, values_shared = false, values_local = false;
};

constexpr int32_t CODE_SITE = 1 << 30;  // an access's number in the counts: this bit, its kernel's number, its own
extern std::vector<Program> programs;
}  // namespace machine
}  // namespace __ok

// What a thread brings to an instruction of its warpgroup, four warps that multiply together. The runtime carries it out when the
// last of a warp, or of all four, has come (machine/warpgroup.cpp).
#pragma once
#include "warp_matrix.h"

namespace __ok {
namespace ptx {

enum WarpgroupWork : uint8_t { PRODUCT, FENCE, COMMIT, WAIT, REGISTERS };
constexpr int MOST_SUMS = 128;

struct WarpgroupStep {
    WarpgroupWork work;
    const char* name;                 // of the instruction
    uint32_t number = 0;              // of groups that may be under way, or of registers
    // A product, of 64 rows of A with `n` columns of B.
    uint16_t n = 0;
    Element of = Element::f16;        // of A and B; the same of B, but for 8 bits
    Element of_b = Element::f16;
    bool adds = true;                 // to what the sums are
    bool negates_a = false, negates_b = false;
    bool a_is_turned = false, b_is_turned = false;  // runs along M, or N, not along K
    bool a_in_registers = false;
    bool done = false;
    uintptr_t pc = 0;                 // of its line
    uint64_t a = 0, b = 0;            // where they lie in shared memory: a matrix descriptor
    uint32_t fragment[4] = {};        // of A
    int count = 0;                    // of sums, and where each is kept
    uint32_t* sums[MOST_SUMS];
};

}  // namespace ptx
extern "C" void ok_warpgroup(ptx::WarpgroupStep* mine, Site at);
}  // namespace __ok

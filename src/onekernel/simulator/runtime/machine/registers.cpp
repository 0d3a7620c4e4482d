#include "registers.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <map>

#include "../report/findings.h"

namespace __ok {
// A warp's registers are dealt in steps of 256, from one of the four parts of a multiprocessor. Compared with the answers of
// CUDA 13.0 on an H200 (tests/gpu/test_registers_gpu.py).
constexpr int STEP = 256, PARTS = 4;

static std::map<uintptr_t, int> registers;  // by the kernel's place in the file's code

extern "C" int ok_registers_of(const void* kernel) {
    auto found = kernel ? registers.find(reinterpret_cast<uintptr_t>(kernel) - code_base()) : registers.end();
    return found == registers.end() ? 0 : found->second;
}

// Warps that the registers of a multiprocessor are enough for.
static int warps_by_registers(const void* kernel) {
    const int each = (ok_registers_of(kernel) * WARP + STEP - 1) / STEP * STEP;
    return each ? CARD.registers_per_multiprocessor / PARTS / each * PARTS : INT_MAX;
}

extern "C" int ok_most_threads(const void* kernel) {
    return std::min<long long>(CARD.threads_per_block, 1LL * warps_by_registers(kernel) * WARP);
}

int blocks_by_registers(const void* kernel, int warps) { return warps_by_registers(kernel) / warps; }
}  // namespace __ok

// What Python calls, once for each kernel that the compiler has told of.
extern "C" __attribute__((visibility("default"))) void ok_registers(uint64_t offset, int number) { __ok::registers[offset] = number; }

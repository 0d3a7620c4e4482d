// Counts of a launch by the machine code of its kernel, where NVIDIA's compiler was there to make it.
#pragma once

#include <vector>

#include "../machine/state.h"

namespace __ok {
namespace machine {
const std::vector<Argument>& launch_arguments();  // of the launch to come, or that runs
}
// Counts the launch's requests by running the machine code of its kernel. False: there is none, or it could not be run to
// the end; nothing is counted then. Device memory is as before.
bool count_by_machine_code(const Launch& launch);
extern "C" void ok_programs(const void* packed, uint64_t size);  // the machine code of a program's or a file's kernels
const char* machine_code_failure();  // why it could not, or ""
}  // namespace __ok

// Registers of a kernel's threads, which only NVIDIA's compiler knows, and what they leave room for: beside ok_registers_of and
// ok_most_threads, which a kernel's attributes are made of (api/ok/runtime.h).
#pragma once

namespace __ok {
int blocks_by_registers(const void* kernel, int warps);  // that one multiprocessor holds at once
}  // namespace __ok

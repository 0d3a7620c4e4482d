// Registers of a kernel's threads, which only NVIDIA's compiler knows, and what they leave room for.
#pragma once

namespace __ok {
int registers_of(const void* kernel);           // 0 where nobody has told
int most_threads(const void* kernel);           // of a block
int blocks_by_registers(const void* kernel, int warps);  // that one multiprocessor holds at once
}  // namespace __ok

// What entry.cpp offers to Python, as far as a program of its own needs it, too.
#pragma once

#include <cstdint>

namespace __ok {
extern "C" __attribute__((visibility("default"))) uint64_t ok_code_base_address();
extern "C" __attribute__((visibility("default"))) void ok_symbol(const char* name, uint64_t offset, uint64_t bytes, int kind);
extern "C" __attribute__((visibility("default"))) void ok_shared_of(uint64_t kernel, uint64_t site);  // their places in the file
extern "C" __attribute__((visibility("default"))) const char* ok_report();
}  // namespace __ok

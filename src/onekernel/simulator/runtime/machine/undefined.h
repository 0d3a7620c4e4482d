// What a shuffle gives where the lane that is asked takes no part: undefined, and right as long as nothing depends on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "state.h"

namespace __ok {
// Such a value, of so many bytes. With the first of a launch the process is copied: the copy gives other values.
uint64_t undefined_value(Worker& w, int bytes, Site at);
void undefined_printed(const char* text, size_t length);  // what a kernel prints may depend on one
// The launch has ended. Where it came to the same with both values, what was told of absent lanes is taken back.
void compare_worlds(const Launch& launch, int fault);
void end_if_copy();  // the copy goes no further than its launch
}  // namespace __ok

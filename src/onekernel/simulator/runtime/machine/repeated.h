// Launches that are repeated: a program that times its kernel makes the same launch a hundred times.
#pragma once

#include <vector>

#include "state.h"

namespace __ok {
// Whether a launch with these arguments was made before, over memory that nothing has written since: the same would come of
// it. Its record is kept once more.
bool is_repeated(const Launch& launch, const std::vector<Argument>& values, const void* const* pointers);
void remember_launch(const Launch& launch, const std::vector<Argument>& values, const void* const* pointers);  // it has ended
void forget_repeated();         // device memory is written by something else than a launch
void cannot_be_repeated();      // the running launch does what a second one would not do alike: it prints, it reads the host's memory
}  // namespace __ok

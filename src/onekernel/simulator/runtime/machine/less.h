// A program that is too large to be checked in its time: from some moment on, accesses are checked for bounds alone.
#pragma once

#include "state.h"

namespace __ok {
extern bool checks_less;                // from here on
void ask_for_less(Worker& w);     // a signal's to call: granted at once, or when the next block begins
void check_less(const Launch& launch);  // between two blocks
void tell_less(const Launch& launch);   // in which launch that was; once
}  // namespace __ok

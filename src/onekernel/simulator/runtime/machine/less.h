// A program that is too large to be checked in its time: when half of it is over, blocks that begin are checked for bounds alone.
#pragma once

#include "state.h"

namespace __ok {
extern bool checks_less;              // from here on
void ask_for_less();                  // a signal's to call; the next block to begin grants it
void check_less(const Launch& launch);  // between two blocks
}  // namespace __ok

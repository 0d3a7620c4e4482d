// What each launch of a call was: its shape, the bytes of each buffer, and what was counted.
#pragma once

#include "../machine/state.h"
#include "json.h"

namespace __ok {
void record_launch(const Launch& launch);  // it has run
void forget_launches();
void write_launches(Json& out);
}  // namespace __ok

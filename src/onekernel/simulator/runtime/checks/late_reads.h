// Plain loads from a tensor that the host has filled, and no thread of the launch has written yet, meet nothing: they only have to
// be known to who writes there later. So they lie in their warp's log, as what is counted does, and are put into the shadow late,
// request by request: before the block's clock goes on, anything is released, or the tensor is written.
#pragma once

#include "../machine/state.h"

namespace __ok {
void put_late_reads(Worker& w);  // those that wait, if any
}  // namespace __ok

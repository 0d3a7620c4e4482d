// The clocks of a program's host: each reading is told.
#pragma once

namespace __ok {
void host_clock_read();
}  // namespace __ok

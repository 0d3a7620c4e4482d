#pragma once

namespace __ok {
// What the grid that has just ended has asked for, and what that asks for in its turn. `stream`: of the grid's launch.
void run_nested(void* stream);
}  // namespace __ok

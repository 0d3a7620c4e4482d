#pragma once

namespace __ok {
// What the grid that has just ended has asked for, and what that asks for in its turn. `stream`: of the grid's launch.
void run_nested(void* stream);
bool is_nested();  // whether the grid that runs was launched by a kernel, whose literals are the device's
}  // namespace __ok

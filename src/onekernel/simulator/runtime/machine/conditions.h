// What the conditional nodes of graphs ask.
#pragma once

namespace __ok {
void set_conditions();     // a graph is launched: those that have a value for that get it
void forget_conditions();  // a call begins
bool in_body();            // what a conditional node has chosen runs: for the host it may do nothing
}  // namespace __ok

// Four warps that multiply together, from one whose number is a multiple of 4.
#pragma once

#include "state.h"

namespace __ok {
void warpgroup_step(Worker& w, int warp, unsigned group);  // all lanes of `group` have come to an instruction of the warpgroup
void forget_warpgroups(Worker& w);       // a block begins
void release_warpgroups(Worker& w);
void warpgroup_thread_left(Worker& w);   // the running thread has ended
bool tell_missing_warp(Worker& w);       // nobody can run: whether that is because a warp is missing, which is then told
}  // namespace __ok

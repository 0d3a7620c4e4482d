// A program with a main() of its own: the runtime inside it, told what to do by a folder that ONEKERNEL_PROGRAM names.
#pragma once

#include "state.h"

namespace __ok {
extern bool is_program;                   // else the code is a library that Python calls
[[noreturn]] void leave_program(int status);  // as exit() does: with all that is to be done at the end
[[noreturn]] void end_program(int status);  // what was found is told, and the process ends
void watch_process(double processor_seconds);  // program_end.cpp: after so many of all its threads it ends, and tells
void end_program_after(double processor_seconds, double seconds);  // of the whole process; and of the clock
void begin_progress(const Launch& launch);
void block_done();
void launch_done();
void forget_progress();                   // somebody else tells it
// What stands in the folder, where there is one:
//   settings   options, cores, seconds of the time limit, the warp that TRACE records; then a line for each variable: offset size name
//   progress   two numbers that whoever waits may read at any time: blocks of the running launch, and those that have ended
//   report     the report, once the program has ended
}  // namespace __ok

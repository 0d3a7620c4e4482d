#pragma once

#include <ucontext.h>

#include "state.h"

namespace __ok {
// What a program has for its end when a kernel of it was stopped: seconds of processor time, and of the clock, which also passes
// where its threads wait for what that kernel would have done.
constexpr double AFTERWARDS = 3, PATIENCE = 15;
void set_time_limit(double seconds);                   // of processor time, for each core and call
double seconds_allowed();
int limit_signal();                                    // what the clock of a thread sends it
void start_time_limit();                               // the calling thread's clock
void end_time_limit();
double thread_seconds();                               // of processor time, that the calling thread has had
double stop_time_limit();                              // seconds that are left; the clock stands until it is set on again
void resume_time_limit(double seconds_left);
bool is_over_time(Worker& w, const ucontext_t* context);  // at a signal of the clock; true: over, and told
}  // namespace __ok

// What CUDA orders between streams: whether a launcher's work follows the stream that it was given, and is followed by it.
#pragma once

#include "../api/ok/runtime.h"

namespace __ok {
void start_streams();        // before a launcher is called
void forget_captures();      // graphs.cpp: likewise
void finish_streams(bool complete);  // it has returned; if no fault cut it short, work that no one waits for is reported
bool host_has_waited(long allocation);  // for all work that was given a pointer into it
void caller_buffer(int id);  // an allocation that the launcher is given
}  // namespace __ok

// What CUDA orders between streams: whether a launcher's work follows the stream that it was given, and is followed by it.
#pragma once

#include <string>

#include "../api/ok/runtime.h"

namespace __ok {
void start_streams();        // before a launcher is called
void forget_captures();      // graphs.cpp: likewise
void tell_unwaited();        // at a program's end
struct UnwaitedLaunch {
    std::string what;  // "" where there is none
    Site at;
};
UnwaitedLaunch unwaited_launch();  // the last that the host has not waited for
void finish_streams(bool complete);  // it has returned; if no fault cut it short, work that no one waits for is reported
struct WorkMark {
    int stream;
    unsigned index;
};
WorkMark last_work(const volatile void* stream);  // that was put into it
bool host_has_passed(WorkMark work);              // the host has waited for it
bool is_ordered(WorkMark before, const volatile void* stream);  // the last work of `stream` waits for it
bool only_default_streams(const volatile void* stream);         // nothing has gone into another one, and nothing goes
bool host_has_waited(long allocation);  // for all work that was given a pointer into it
void caller_buffer(int id);  // an allocation that the launcher is given
}  // namespace __ok

// Linked into programs alone, behind the runtime and before the files: it starts the one before the others, and hears of
// each clock that they read.
#include <sys/time.h>
#include <time.h>

#include <chrono>

#include "machine/host_clock.h"

extern "C" {
int __real_gettimeofday(timeval* now, void* zone);
int __wrap_gettimeofday(timeval* now, void* zone) {
    __ok::host_clock_read();
    return __real_gettimeofday(now, zone);
}
int __real_clock_gettime(clockid_t which, timespec* now);
int __wrap_clock_gettime(clockid_t which, timespec* now) {
    if (which != CLOCK_PROCESS_CPUTIME_ID && which != CLOCK_THREAD_CPUTIME_ID) __ok::host_clock_read();
    return __real_clock_gettime(which, now);
}
int __real_timespec_get(timespec* now, int base);
int __wrap_timespec_get(timespec* now, int base) {
    __ok::host_clock_read();
    return __real_timespec_get(now, base);
}
// std::chrono::steady_clock::now() and system_clock::now(), of which high_resolution_clock is another name.
std::chrono::steady_clock::time_point __real__ZNSt6chrono3_V212steady_clock3nowEv();
std::chrono::steady_clock::time_point __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
    __ok::host_clock_read();
    return __real__ZNSt6chrono3_V212steady_clock3nowEv();
}
std::chrono::system_clock::time_point __real__ZNSt6chrono3_V212system_clock3nowEv();
std::chrono::system_clock::time_point __wrap__ZNSt6chrono3_V212system_clock3nowEv() {
    __ok::host_clock_read();
    return __real__ZNSt6chrono3_V212system_clock3nowEv();
}
}

namespace __ok {
void start_program();
namespace {
struct Start {
    Start() { start_program(); }
} start;
}  // namespace
}  // namespace __ok

// A recording for pictures: the requests of one warp with the address of each lane, and what every warp of its block did
// between barriers. Bounded in size; nothing is recorded unless TRACE is among the options.
#pragma once

#include <cstdint>

#include "../report/json.h"
#include "requests.h"

namespace __ok {
struct TraceChecker : Checker<TraceChecker> {
    static constexpr unsigned OPTIONS = COUNTS;
    static void launch_started(const Launch& launch);
    static void request(Worker& w, Request& r);
};
void trace_barrier(const Worker& w, Site at);  // all that will come have come to the barrier
void trace_phase(const Worker& w);             // and what they did before it has been counted
void write_trace(Json& out);  // the member "trace"
extern uint64_t trace_block;
extern int trace_warp;
extern bool tracing;  // the running launch
inline bool traced(const Worker& w) { return tracing && w.block == trace_block; }
}  // namespace __ok

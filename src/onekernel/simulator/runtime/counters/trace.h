// A recording for pictures: the requests of one warp with the address of each lane, and what every warp of its block did
// between barriers. Bounded in size; nothing is recorded unless TRACE is among the options.
#pragma once

#include <cstdint>

#include "../machine/state.h"
#include "../report/json.h"

namespace __ok {
struct TracedRequest {
    uint32_t pc;
    uint8_t bytes;  // of each lane
    bool shared, write, atomic;
    int count;                 // lanes that took part
    int lanes[WARP];
    uint64_t addresses[WARP];  // of the device's memory, or offsets into the block's shared memory
};
void start_trace(const Launch& launch);
void trace_request(const Worker& w, int warp, const TracedRequest& request);
void trace_barrier(const Worker& w, Site at);  // all that will come have come to the barrier
void trace_phase(const Worker& w);             // and what they did before it has been counted
void write_trace(Json& out);  // the member "trace"
extern uint64_t trace_block;
extern int trace_warp;
extern bool tracing;  // the running launch
inline bool traced(const Worker& w) { return tracing && w.block == trace_block; }
}  // namespace __ok

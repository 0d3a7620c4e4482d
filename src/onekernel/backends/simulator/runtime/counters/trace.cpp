#include "trace.h"

#include <unordered_map>
#include <vector>

#include "../memory/memory.h"
#include "../report/findings.h"

namespace __ok {
uint64_t trace_block = 0;
int trace_warp = 0;

namespace {
constexpr size_t MOST_REQUESTS = 4096, MOST_PHASES = 1024;
constexpr int MOST_OF_ONE_PLACE = 32;  // a loop's first turns show its pattern

struct WarpWork {
    uint32_t global = 0, shared = 0;    // requests since the last barrier
    int arrived = 0;                    // lanes at the barrier that ends the phase
};
struct Phase {
    Site until{nullptr, 0};             // null: the end of the kernel
    std::vector<WarpWork> warps;
};
std::vector<TracedRequest> requests;
std::unordered_map<uint32_t, int> times;  // by program counter
std::vector<Phase> phases;
Phase since_barrier;

std::string numbers(const char* name, const std::vector<long long>& values) {
    std::string out = std::string("\"") + name + "\":[";
    for (size_t i = 0; i < values.size(); i++) out += (i ? "," : "") + std::to_string(values[i]);
    return out + "]";
}

// The lanes' addresses as offsets into the array that the first of them lies in.
std::string request_json(const TracedRequest& r) {
    std::string name;
    uint64_t base = 0;
    unsigned item = r.bytes;
    if (r.shared) {
        if (const SharedArray* s = shared_at(static_cast<uint32_t>(r.addresses[0] % ARENA_BYTES))) {
            name = s->name;
            base = s->offset;
            item = s->item;
        }
    } else {
        const Allocation& a = owner_of(r.addresses[0] - heap_base);
        name = a.name;
        base = a.low;
        item = a.item;
    }
    std::vector<long long> lanes, offsets;
    for (int i = 0; i < r.count; i++) {
        lanes.push_back(r.lanes[i]);
        offsets.push_back(static_cast<long long>((r.shared ? r.addresses[i] % ARENA_BYTES : r.addresses[i]) - base));
    }
    char text[160];
    snprintf(text, sizeof text, "{\"pc\":%u,\"shared\":%d,\"write\":%d,\"atomic\":%d,\"bytes\":%d,\"item\":%u,\"shift\":%u,",
             r.pc, r.shared, r.write, r.atomic, r.bytes, item, static_cast<unsigned>(base % 128));
    return text + ("\"name\":" + quoted(name)) + "," + numbers("lanes", lanes) + "," + numbers("offsets", offsets) + "}";
}

std::string phase_json(const Phase& p) {
    std::vector<long long> global, shared, arrived;
    for (const WarpWork& w : p.warps) {
        global.push_back(w.global);
        shared.push_back(w.shared);
        arrived.push_back(w.arrived);
    }
    return "{\"file\":" + quoted(p.until.file ? p.until.file : "") + ",\"line\":" + std::to_string(p.until.line) + "," +
           numbers("global", global) + "," + numbers("shared", shared) + "," + numbers("arrived", arrived) + "}";
}
}  // namespace

void start_trace() {
    requests.clear();
    times.clear();
    phases.clear();
    since_barrier = Phase();
}

void trace_request(const Worker& w, int warp, const TracedRequest& request) {
    if (since_barrier.warps.empty()) since_barrier.warps.resize(w.launch->warps);
    (request.shared ? since_barrier.warps[warp].shared : since_barrier.warps[warp].global)++;
    if (warp == trace_warp && requests.size() < MOST_REQUESTS && times[request.pc]++ < MOST_OF_ONE_PLACE)
        requests.push_back(request);
}

void trace_barrier(const Worker& w, Site at) {
    Busy busy;
    since_barrier.until = at;
    since_barrier.warps.resize(w.launch->warps);
    for (int i = 0; i < w.launch->warps; i++) since_barrier.warps[i].arrived = __builtin_popcount(w.warps[i].barrier);
}

void trace_phase(const Worker& w) {
    Busy busy;
    since_barrier.warps.resize(w.launch->warps);
    if (phases.size() < MOST_PHASES) phases.push_back(since_barrier);
    since_barrier = Phase();
}

std::string trace_json() {
    std::string out = "\"trace\":{\"block\":" + std::to_string(trace_block) + ",\"warp\":" + std::to_string(trace_warp) +
                      ",\"requests\":[";
    for (size_t i = 0; i < requests.size(); i++) out += (i ? "," : "") + request_json(requests[i]);
    out += "],\"phases\":[";
    for (size_t i = 0; i < phases.size(); i++) out += (i ? "," : "") + phase_json(phases[i]);
    return out + "]}";
}
}  // namespace __ok

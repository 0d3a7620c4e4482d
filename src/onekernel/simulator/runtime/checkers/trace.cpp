// Tells: nothing
// Tests: test_trace.py
#include "trace.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "../machine/program.h"
#include "../memory/memory.h"
#include "banks.h"
#include "sectors.h"

namespace __ok {
uint64_t trace_block = 0;
int trace_warp = 0;
bool tracing = false;

namespace {
constexpr size_t MOST_REQUESTS = 4096, MOST_PHASES = 1024;
constexpr int MOST_OF_ONE_PLACE = 32;  // a loop's first turns show its pattern
constexpr int MOST_OF_ONE_LAUNCH = 8;   // times that a program comes to the same launch
std::map<std::pair<const char*, int>, int> launches_at;  // file and line

struct TracedRequest {
    uint32_t pc;
    uint8_t bytes;  // of each lane
    bool shared, write, atomic;
    int count;                 // lanes that took part
    int lanes[WARP];
    uint64_t addresses[WARP];  // of the device's memory, or offsets into the block's shared memory
};
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

// For each part that is served by itself, what its lanes want: lane, word, bank.
void write_parts(Json& out, const TracedRequest& r, const uint64_t* addresses) {
    each_part(addresses, r.lanes, r.count, r.bytes, !r.write, [&](int begin, int end) {
        out.list([&] {
            for (int i = begin; i < end; i++)
                for (int k = 0; k < words_each(r.bytes); k++) {
                    uint64_t word = word_of(addresses[i]) + k;
                    out.list([&] { out.value(r.lanes[i]).value(word).value(bank_of(word)); });
                }
        });
    });
}

// The lanes' addresses as offsets into the array that the first of them lies in.
void write(Json& out, const TracedRequest& r) {
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
        name = name_of(a);
        base = a.low;
        item = a.item;
    }
    // From a multiple of 128 bytes on: there begin a sector and the first bank.
    const unsigned shift = base % 128;
    std::vector<long long> offsets;
    uint64_t addresses[WARP], sectors[2 * WARP];
    for (int i = 0; i < r.count; i++) {
        offsets.push_back(static_cast<long long>((r.shared ? r.addresses[i] % ARENA_BYTES : r.addresses[i]) - base));
        addresses[i] = offsets[i] + shift;
    }
    int moved = r.shared ? 0 : sectors_of(addresses, nullptr, r.count, r.bytes, sectors);
    out.object([&] {
        out.field("pc", r.pc).field("shared", r.shared).field("write", r.write).field("atomic", r.atomic);
        out.field("bytes", r.bytes).field("item", item).field("shift", shift).field("name", name);
        out.numbers("lanes", std::vector<int>(r.lanes, r.lanes + r.count)).numbers("offsets", offsets);
        out.numbers("sectors", std::vector<uint64_t>(sectors, sectors + moved));
        out.field("wavefronts", r.shared ? serve(addresses, r.lanes, r.count, r.bytes, !r.write).wavefronts : 0);
        out.key("parts").list([&] { if (r.shared) write_parts(out, r, addresses); });
    });
}

void write(Json& out, const Phase& p) {
    std::vector<uint32_t> global, shared;
    std::vector<int> arrived;
    for (const WarpWork& w : p.warps) {
        global.push_back(w.global);
        shared.push_back(w.shared);
        arrived.push_back(w.arrived);
    }
    out.object([&] {
        out.field("file", std::string_view(p.until.file ? p.until.file : "")).field("line", p.until.line);
        out.numbers("global", global).numbers("shared", shared).numbers("arrived", arrived);
    });
}
}  // namespace

void TraceChecker::launch_started(const Launch& launch) {
    tracing = options & TRACE;
    if (tracing && is_program) tracing = ++launches_at[{launch.site->at.file, launch.site->at.line}] <= MOST_OF_ONE_LAUNCH;
    requests.clear();
    times.clear();
    phases.clear();
    since_barrier = Phase();
}

void TraceChecker::request(Worker& w, Request& r) {
    if (!traced(w) || r.is_of_copy()) return;
    if (since_barrier.warps.empty()) since_barrier.warps.resize(w.launch->warps);
    (r.kind.shared ? since_barrier.warps[r.warp].shared : since_barrier.warps[r.warp].global)++;
    if (r.warp != trace_warp || requests.size() >= MOST_REQUESTS || times[r.kind.pc]++ >= MOST_OF_ONE_PLACE) return;
    requests.push_back({r.kind.pc, r.kind.bytes, r.kind.shared, bool(r.kind.flags & WRITES), r.is_atomic(), r.count, {}, {}});
    std::copy(r.lanes, r.lanes + r.count, requests.back().lanes);
    std::copy(r.addresses, r.addresses + r.count, requests.back().addresses);
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

void write_trace(Json& out) {
    out.key("trace").object([&] {
        out.field("block", trace_block).field("warp", trace_warp);
        out.key("requests").list([&] { for (const TracedRequest& r : requests) write(out, r); });
        out.key("phases").list([&] { for (const Phase& p : phases) write(out, p); });
    });
}
}  // namespace __ok

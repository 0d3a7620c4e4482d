#include "launch.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "coalesce.h"
#include "memory.h"
#include "race.h"
#include "report.h"

namespace __ok {
static std::vector<Worker*> workers;
static int cores = 1, last_error = 0, fault = 0, count = 0;
static unsigned launch_number = 0;
static std::string launches;
static std::map<const void*, int> dynamic_limits;

static Worker& worker_at(size_t i) {
    while (workers.size() <= i) {
        workers.push_back(new Worker);
        workers.back()->arena = make_arena();
    }
    return *workers[i];
}
Worker& host_worker() { return worker_at(0); }

int launch_count() { return count; }
// Of several blocks' faults the one of the first block stays, whichever core came first.
void set_fault(int error) {
    static std::mutex lock;
    static uint64_t block;
    std::lock_guard<std::mutex> guard(lock);
    uint64_t mine = worker && worker->current ? worker->block : ~uint64_t(0);
    if (fault && mine >= block) return;
    fault = error;
    block = mine;
}
void end_launch(Worker& w) {
    std::atomic<uint64_t>& last = w.launch->last_block;
    for (uint64_t known = last; w.block < known && !last.compare_exchange_weak(known, w.block);) {}
    w.launch->aborted = true;
}
bool faulted() { return fault; }
void start_call(int n) {
    cores = n;
    last_error = fault = count = 0;
    launches.clear();
}
std::string launches_json() { return "[" + launches + "]"; }

void stop_launch(int error) {
    set_fault(error);
    end_launch(*worker);
    abandon_block();
}

extern "C" int ok_error(bool clear) {
    int error = fault ? fault : last_error;
    if (clear) last_error = 0;
    return error;
}
extern "C" int ok_fail(int error) {
    if (error) last_error = error;
    return error;
}

extern "C" int ok_set_max_dynamic_shared(const void* kernel, int bytes, Site at) {
    if (bytes < 0 || bytes > CARD.shared_per_block_optin) {
        if (first_of("bad-launch", uint64_t(at.line), 99))
            Finding("bad-launch").at(at).text("kind", "opt-in").number("value", bytes)
                .number("limit", CARD.shared_per_block_optin).add();
        return ok_fail(ERROR_INVALID_VALUE);
    }
    dynamic_limits[kernel] = bytes;
    return 0;
}
extern "C" int ok_max_dynamic_shared(const void* kernel) {
    auto found = dynamic_limits.find(kernel);
    if (found != dynamic_limits.end()) return found->second;
    int limit = CARD.shared_per_block;
    // A launch whose kernel cannot be told by its address may be any that asked for more.
    if (!kernel) for (const auto& [k, bytes] : dynamic_limits) limit = std::max(limit, bytes);
    return limit;
}

static int refuse(const LaunchSite& site, const char* kind, long long value, long long limit, int error) {
    if (first_of("bad-launch", uint64_t(site.at.line), static_cast<uint64_t>(kind[0]))) {
        Finding f("bad-launch");
        f.at(site.at).text("kernel", site.kernel ? site.kernel : "").text("kind", kind);
        f.number("value", value).number("limit", limit).add();
    }
    return ok_fail(error);
}

static int check(const LaunchSite& site, const Config& c) {
    long long threads = 1LL * c.block.x * c.block.y * c.block.z;
    if (!c.grid.x || !c.grid.y || !c.grid.z) return refuse(site, "empty-grid", 0, 1, ERROR_INVALID_CONFIGURATION);
    if (!threads) return refuse(site, "empty-block", 0, 1, ERROR_INVALID_CONFIGURATION);
    if (threads > CARD.threads_per_block)
        return refuse(site, "threads", threads, CARD.threads_per_block, ERROR_INVALID_CONFIGURATION);
    if (int(c.block.z) > CARD.block_z) return refuse(site, "block.z", c.block.z, CARD.block_z, ERROR_INVALID_CONFIGURATION);
    if (c.grid.x > CARD.grid_x) return refuse(site, "grid.x", c.grid.x, CARD.grid_x, ERROR_INVALID_CONFIGURATION);
    if (int(c.grid.y) > CARD.grid_y) return refuse(site, "grid.y", c.grid.y, CARD.grid_y, ERROR_INVALID_CONFIGURATION);
    if (int(c.grid.z) > CARD.grid_z) return refuse(site, "grid.z", c.grid.z, CARD.grid_z, ERROR_INVALID_CONFIGURATION);
    int limit = ok_max_dynamic_shared(site.address);
    if (c.shared > size_t(limit))
        return refuse(site, limit > CARD.shared_per_block ? "shared-opt-in" : "shared", static_cast<long long>(c.shared), limit,
                      ERROR_INVALID_VALUE);
    return 0;
}

static void run_blocks(Worker& w, Launch& launch) {
    worker = &w;
    w.launch = &launch;
    w.current = nullptr;
    dim3 grid = launch.config.grid, block = launch.config.block;
    ok_gridDim = grid;
    ok_blockDim = block;
    for (;;) {
        uint64_t next = launch.next++;
        if (next >= launch.blocks || next > launch.last_block) break;
        run_block(w, next);
    }
}

// Blocks of this shape that one multiprocessor can hold at once, registers apart. Source: CUDA C++ Programming Guide,
// "Hardware Multithreading".
static int resident_blocks(int threads, size_t shared, const char** limit) {
    int warps = (threads + WARP - 1) / WARP;
    int blocks = CARD.blocks_per_multiprocessor;
    *limit = "blocks";
    int by_warps = CARD.threads_per_multiprocessor / WARP / warps;
    if (by_warps < blocks) {
        blocks = by_warps;
        *limit = "warps";
    }
    size_t each = shared + CARD.shared_reserved_per_block;
    int by_shared = static_cast<int>(CARD.shared_per_multiprocessor / each);
    if (shared && by_shared < blocks) {
        blocks = by_shared;
        *limit = "shared";
    }
    return blocks;
}

static void record(const Launch& l) {
    const Config& c = l.config;
    char text[256];
    snprintf(text, sizeof text, "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"line\":%d,\"address\":%lld,\"complete\":%d,",
             c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, l.site->at.line,
             l.site->address ? static_cast<long long>(reinterpret_cast<uintptr_t>(l.site->address) - code_base()) : 0,
             l.aborted ? 0 : 1);
    std::string out = std::string("{") + text + "\"kernel\":" + quoted(l.site->kernel ? l.site->kernel : "");
    out += ",\"static\":" + std::to_string(shared_static_bytes()) + ",\"dynamic\":" + std::to_string(c.shared);
    const char* limit = "";
    int resident = resident_blocks(l.threads, shared_static_bytes() + c.shared, &limit);
    out += ",\"resident_blocks\":" + std::to_string(resident) + ",\"resident_limit\":" + quoted(limit);
    out += ",\"occupancy\":" + std::to_string(100 * resident * l.warps * WARP / CARD.threads_per_multiprocessor);
    out += ",\"buffers\":[";
    bool first = true;
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        if (!a.live || a.symbol || !(a.loaded || a.stored)) continue;
        snprintf(text, sizeof text, "\"loaded\":%llu,\"stored\":%llu,\"unique_loaded\":%llu,\"unique_stored\":%llu}",
                 (unsigned long long)a.loaded, (unsigned long long)a.stored, (unsigned long long)a.unique_loaded,
                 (unsigned long long)a.unique_stored);
        out += std::string(first ? "" : ",") + "{\"name\":" + quoted(a.name) + "," + text;
        first = false;
    }
    out += "]";
    if (options & COUNTS) out += "," + counts_json();
    if (!launches.empty()) launches += ",";
    launches += out + "}";
}

extern "C" int ok_launch(const LaunchSite* site, const Config* config, const void* const* pointers, int arguments,
                         void (*body)(void*), void* context) {
    if (worker && worker->current) {
        ok_unsupported("a launch from a kernel (dynamic parallelism)", site->at);
        stop_launch(ERROR_NOT_SUPPORTED);
    }
    if (fault) return fault;
    int error = check(*site, *config);
    if (error) return error;
    Busy busy;
    count++;
    name_arguments(*site, pointers, arguments);
    ok_stream_work(site->kernel ? site->kernel : "cudaLaunchKernel", site->kernel ? nullptr : "cudaLaunchKernel(..., stream)",
                   config->stream, pointers, arguments, site->at);
    static Launch launch{nullptr, *config, nullptr, nullptr, 0, 0, 0, 0, {}, {}, {}};
    launch.site = site;
    launch.config = *config;
    launch.body = body;
    launch.context = context;
    launch.serial = ++launch_number;
    launch.threads = static_cast<int>(config->block.x * config->block.y * config->block.z);
    launch.warps = (launch.threads + WARP - 1) / WARP;
    launch.blocks = uint64_t(config->grid.x) * config->grid.y * config->grid.z;
    launch.next = 0;
    launch.aborted = false;
    launch.last_block = ~uint64_t(0);
    for (int i = 0; i < launch.threads; i++) {
        unsigned x = config->block.x, y = config->block.y;
        launch.index[i] = {unsigned(i) % x, unsigned(i) / x % y, unsigned(i) / x / y};
    }
    Open open;
    shared_launch(config->shared);
    start_traffic();
    if (options & RACES) start_races();
    if (options & COUNTS) start_counts();

    size_t several = options & ~BOUNDS || shared_needs_one_core() ? 1 : std::min<uint64_t>(cores, launch.blocks);
    if (launch.blocks * launch.threads < 4096) several = 1;
    worker_at(several - 1);
    std::vector<std::thread> others;
    for (size_t i = 1; i < several; i++)
        others.emplace_back([&, i] {
            worker = workers[i];
            guard_thread();
            run_blocks(*workers[i], launch);
            unguard_thread();
        });
    Worker& mine = host_worker();
    int depth = mine.busy;
    mine.busy = 0;
    run_blocks(mine, launch);
    mine.busy = depth;
    for (std::thread& t : others) t.join();
    forget_findings_after(launch.last_block);
    record(launch);
    // Static arrays are known once the kernel has run; nvcc and the driver would have refused before.
    long long fixed = static_cast<long long>(shared_static_bytes()), all = fixed + static_cast<long long>(config->shared);
    if (fixed > CARD.shared_per_block) return refuse(*site, "static", fixed, CARD.shared_per_block, ERROR_INVALID_VALUE);
    // What a kernel has asked for is its dynamic part; the static part comes on top, as far as the card has room.
    bool opted_in = ok_max_dynamic_shared(site->address) > CARD.shared_per_block;
    int limit = opted_in ? CARD.shared_per_block_optin : CARD.shared_per_block;
    if (all > limit) return refuse(*site, "shared", all, limit, ERROR_INVALID_VALUE);
    return fault;
}
}  // namespace __ok

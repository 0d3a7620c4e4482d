#include "launch.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "../checkers/stream_races.h"
#include "../checkers/lockstep.h"
#include "../events.h"
#include "../machine_code/run.h"
#include "../memory/host_memory.h"
#include "../memory/host_view.h"
#include "../memory/memory.h"
#include "../memory/pinned.h"
#include "../memory/sparse.h"
#include "../report/findings.h"
#include "../report/launches.h"
#include "../report/unasked.h"
#include "less.h"
#include "limits.h"
#include "nested.h"
#include "program.h"
#include "repeated.h"
#include "resident_blocks.h"
#include "time_limit.h"
#include "undefined.h"

namespace __ok {
static std::vector<Worker*> workers;
static int cores = 1, last_error = 0, fault = 0, count = 0;
static unsigned launch_number = 0;

static Worker& worker_at(size_t i) {
    while (workers.size() <= i) {
        workers.push_back(new Worker);
        workers.back()->arena = make_arena();
    }
    return *workers[i];
}
// Each stack takes two of the pieces of memory that a process may have, 65,530 as Linux has it. A process that has called many
// programs keeps no more of them.
constexpr int MOST_STACKS = 8192;
void give_back_stacks() {
    if (__atomic_load_n(&stacks_of_process, __ATOMIC_RELAXED) <= MOST_STACKS) return;
    for (Worker* w : workers) give_back_stacks(*w);
}
static __thread bool is_guest = false;  // a thread that the program has made, in its call
static Worker& guest() {
    static Worker* made = nullptr;
    if (!made) (made = new Worker)->arena = make_arena();
    return *made;
}
Worker& host_worker() { return is_guest ? guest() : worker_at(0); }
Worker& bystander() {
    static Worker* made = new Worker;
    return *made;
}

static std::recursive_mutex host_calls;
HostCall::HostCall(bool launches) : launches_(launches) {
    if (!is_program || (worker && worker->current)) return;
    mine_ = true;
    host_calls.lock();
    if (worker && worker != &bystander()) return;
    guest_ = is_guest = true;
    worker = &guest();
    if (launches_) guard_thread();
}
HostCall::~HostCall() {
    if (guest_) {
        if (launches_) unguard_thread();
        is_guest = false;
        worker = nullptr;
    }
    if (mine_) host_calls.unlock();
}

int launch_count() { return count; }
static const Launch* latest = nullptr;
const Launch* latest_launch() { return count ? latest : nullptr; }
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
    forget_launches();
}

void stop_launch(int error) {
    set_fault(error);
    refuse_begun();
}

void refuse_begun() {
    end_launch(*worker);
    abandon_block();
}

extern "C" int ok_fault() { return fault; }
extern "C" int ok_error(bool clear) {
    int error = fault ? fault : last_error;
    if (clear) last_error = 0;
    forget_unasked();
    return error;
}
extern "C" int ok_fail(int error) {
    if (error) last_error = error;
    if (error && is_program && !(worker && worker->current)) note_unasked(error);
    return error;
}

int exchange_error(int error) {
    std::swap(last_error, error);
    return error;
}

extern "C" void ok_device_reset(Site at) {
    if (!is_program || (worker && worker->current)) return;  // a grader still wants what it has lent
    fault = last_error = 0;
    release_all(at);
}

// Blocks may run in any order where bounds alone are checked, or counts taken. Few threads are worth other cores if they take their time.
constexpr uint64_t MANY_THREADS = 4096;
constexpr double LONG_SECONDS = 0.001;
static size_t cores_for(const Launch& launch) {
    if (options & ~(BOUNDS | COUNTS | BY_CODE) || shared_needs_one_core()) return 1;
    return std::min<uint64_t>(cores, launch.blocks - std::min(launch.next.load(), launch.blocks - 1));
}
static double seconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// On one core of several: all blocks that nobody else takes; on the only one, until more of them may help.
static void run_blocks(Worker& w, Launch& launch, bool alone) {
    worker = &w;
    w.busy = 1;
    w.launch = &launch;
    w.current = nullptr;
    w.asked = NO_THREAD_RUNS;
    dim3 grid = launch.config.grid, block = launch.config.block;
    ok_gridDim = grid;
    ok_blockDim = block;
    const double began = alone ? seconds_now() : 0;
    const bool many = launch.blocks * launch.threads >= MANY_THREADS;
    for (;;) {
        if (!launch.aborted) check_less(launch);
        if (alone && cores_for(launch) > 1 && (many || seconds_now() - began > LONG_SECONDS)) break;
        uint64_t next = launch.next++;
        if (options & SPARSE) {
            if (next >= sampled_blocks() || launch.aborted) break;
            next = sampled_block(next);
            sparse_block_begins();
        } else if (next >= launch.blocks || next > launch.last_block || (options & TURNED && launch.aborted)) {
            break;
        } else if (options & TURNED) {
            next = launch.blocks - 1 - next;
        }
        run_block(w, next);
        block_done();
        if (options & SPARSE) sparse_block_ended(launch);
    }
}

// Whether a worker has what its threads need: a limit of the process (ulimit -d, -v) may leave it no addresses.
static bool has_room(Worker& w) { return w.arena && make_stacks(w); }

static void run_on_cores(Launch& launch) {
    const size_t most = launch.blocks * launch.threads >= MANY_THREADS || launch.next ? cores_for(launch) : 1;
    size_t several = 1;
    while (several < most && has_room(worker_at(several))) several++;
    launch.on_several_cores = several > 1;
    std::vector<std::thread> others;
    for (size_t i = 1; i < several; i++)
        others.emplace_back([&, i] {
            worker = workers[i];
            guard_thread();
            run_blocks(*workers[i], launch, false);
            unguard_thread();
        });
    run_blocks(host_worker(), launch, several == 1);
    for (std::thread& t : others) t.join();
}

static uint64_t blocks_of(dim3 d) { return uint64_t(d.x) * d.y * d.z; }

static int run_together(Launch& launch) {
    if (!shared_needs_one_core()) return run_resident_blocks(launch);
    ok_unsupported("__shared__ outside a kernel, with a cooperative launch or clusters", launch.site->at);
    return ERROR_NOT_SUPPORTED;
}

// The kernel has told its clusters: begin anew.
static int restart(Launch& launch) {
    launch.restart = launch.aborted = false;
    launch.last_block = ~uint64_t(0);
    launch.config.cluster = launch.compiled_cluster;
    int error = check_cluster(*launch.site, launch.config);
    if (error) launch.aborted = true;
    return error ? error : run_together(launch);
}

static int run_launch(const LaunchSite* site, const Config* config, const void* const* pointers, int arguments,
                      void (*body)(void*), void* context) {
    if (worker && worker->current) {
        ok_unsupported("a launch from a kernel (dynamic parallelism)", site->at);
        stop_launch(ERROR_NOT_SUPPORTED);
    }
    if (fault) return fault;
    if (int how = ok_capturing(config->stream)) {
        if (how > 0) return ok_fail(how);
        ok_unsupported("cudaLaunchKernel into a stream that is captured; <<<...>>> in a file that captures is", site->at);
        return ok_fail(ERROR_NOT_SUPPORTED);
    }
    Launching launching(*site);
    int error = check_launch(*site, *config);
    if (error) return error;
    if (options & REFUSE) return ok_fail(ERROR_LAUNCH_OUT_OF_RESOURCES);
    Busy busy;
    if (!has_room(host_worker())) {
        Finding("no-room", uint64_t(site->at.line)).at(site->at).text("kernel", site->kernel ? site->kernel : "")
            .number("megabytes", static_cast<long long>((STACKS_BYTES + ARENA_BYTES) >> 20)).add();
        return ok_fail(ERROR_MEMORY_ALLOCATION);
    }
    if (!is_program && !room_for_records()) {
        Finding("time-limit").form("launches").at(site->at).text("kernel", site->kernel ? site->kernel : "").number("number", count).add();
        set_fault(ERROR_LAUNCH_TIMEOUT);
        return ERROR_LAUNCH_TIMEOUT;
    }
    count++;
    name_arguments(*site, pointers, arguments);
    look_for_host_arguments(*site, pointers, arguments);
    if (refuse_host_arguments()) {
        set_fault(ERROR_ILLEGAL_ADDRESS);
        return ERROR_ILLEGAL_ADDRESS;
    }
    ok_stream_work(site->kernel ? site->kernel : "cudaLaunchKernel", site->kernel ? nullptr : "cudaLaunchKernel(..., stream)",
                   config->stream, pointers, arguments, site->at);
    for (int i = 0; i < arguments; i++) pinned_busy(pointers[i], WHOLE, {PinnedUse::KERNEL, site->at}, config->stream);
    static Launch launch{nullptr, *config, nullptr, nullptr, 0, 0, 0, 0, {}, {}, {}, {}, {}, {}};
    latest = &launch;
    launch.site = site;
    launch.config = *config;
    launch.body = body;
    launch.context = context;
    launch.serial = ++launch_number;
    launch.began = thread_seconds();
    launch.threads = static_cast<int>(config->block.x * config->block.y * config->block.z);
    launch.warps = (launch.threads + WARP - 1) / WARP;
    launch.blocks = blocks_of(config->grid);
    launch.next = 0;
    launch.aborted = launch.restart = false;
    launch.bound = 0;
    launch.last_block = ~uint64_t(0);
    for (int i = 0; i < launch.threads; i++) {
        unsigned x = config->block.x, y = config->block.y;
        launch.index[i] = {unsigned(i) % x, unsigned(i) / x % y, unsigned(i) / x / y};
    }
    if (is_repeated(launch, machine::launch_arguments(), pointers)) return SUCCESS;
    note_host_writes();
    Open open(true);
    DeviceView view;
    shared_launch(config->shared);
    start_traffic();
    launch.ran = launch.turns = launch.left = launch.told = launch.heavier = 0;
    launch.exhausted = launch.goes_round = launch.talks = launch.stands = false;
    launch.undefined = launch.on_several_cores = false;
    if (options & SPARSE) sparse_launch(launch);
    launch_started(launch);
    if (options & COUNTS) {
        double left = stop_time_limit();  // a time limit is the kernel's own, and machine code has its number of steps
        count_only_atomics(options & BY_CODE && count_by_machine_code(launch));
        resume_time_limit(left);
    }

    begin_progress(launch);
    bool together = config->cooperative || blocks_of(config->cluster) > 1;
    Worker& mine = host_worker();
    int depth = mine.busy;
    if (together) error = run_together(launch);
    else run_on_cores(launch);
    if (!together && launch.next < launch.blocks && !launch.aborted) run_on_cores(launch);  // more cores may help
    mine.busy = depth;
    if (launch.restart) error = restart(launch);
    launch_done();
    if (options & SPARSE) sparse_launch_ended(launch);
    if (!launch.aborted) stream_launch_ended(*site, config->stream, pointers, arguments);
    if (!launch.aborted) tell_less(launch);
    forget_findings_after(launch.last_block);
    launch_counted(launch);
    compare_worlds(launch, fault);
    record_launch(launch);
    remember_launch(launch, machine::launch_arguments(), pointers);
    forget_launch();
    // Static arrays are known once the kernel has begun; nvcc and the driver would have refused before.
    if (!error) error = check_static(*site, launch.config, shared_static_bytes());
    if (!error) error = check_bound(*site, launch.threads, launch.bound);
    return error ? error : fault;
}

extern "C" int ok_refuse_launch(const LaunchSite* site, int error) {
    Launching launching(*site);
    return ok_fail(error);
}

extern "C" int ok_launch(const LaunchSite* site, const Config* config, const void* const* pointers, int arguments,
                         void (*body)(void*), void* context) {
    HostCall call(true);
    int error = run_launch(site, config, pointers, arguments, body, context);
    run_nested(config->stream);
    return error ? error : fault;
}

static std::map<const void*, Launcher>& launchers() {  // a static variable of the program may ask before ours are there
    static auto& kept = *new std::map<const void*, Launcher>;
    return kept;
}
extern "C" void ok_keep_launcher(const void* kernel, Launcher launcher) { launchers()[kernel] = launcher; }
extern "C" Launcher ok_launcher_of(const void* kernel) {
    auto found = launchers().find(kernel);
    return found == launchers().end() ? nullptr : found->second;
}
}  // namespace __ok

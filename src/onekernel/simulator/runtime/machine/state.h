// What one core knows while it runs a block: its threads, warps, barrier, and the clock that orders their accesses.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "../api/ok/runtime.h"
#include "fiber.h"

namespace __ok {
constexpr int MAX_WARPS = MAX_THREADS_PER_BLOCK / WARP;

// What the hooks do; chosen by Python before a call.
enum Option : unsigned { BOUNDS = 1, RACES = 2, COUNTS = 4, TRACE = 8, REFUSE = 16, SPARSE = 32, BY_CODE = 64, SCRAMBLE = 128, LEFT = 256, TURNED = 512, HALVES = 1024 };
extern unsigned options;
constexpr unsigned ASKED = RACES | COUNTS | SPARSE, NO_THREAD_RUNS = ~0u;  // those that hooks go by

struct Thread {
    int stack = -1;
    // The collective it waits in.
    int what = 0, lane = 0, width = 32, bytes = 0;
    unsigned mask = 0;
    int predicate = 0;
    uint64_t value = 0, result = 0;
    Site at{nullptr, 0};       // where it waits; at a barrier only if it is not where the others wait
};

struct Warp {
    unsigned alive, fresh, runnable, collective, barrier, elsewhere;  // one bit a lane; elsewhere: at another barrier than the rest
    unsigned one_mask;         // that all who wait in a collective name; 0: they name several, or ask for the active one
    uint32_t full_time;        // Block::time when all its live lanes last met
    uint32_t (*seen)[WARP];    // seen[a][b]: accesses of lane a before that time are ordered before lane b's next; or null
};

struct ResidentBlocks;
struct ShadowWord;
struct PlainShadow;
struct AsyncCopies;
struct OwnBarriers;
struct BulkStores;
struct Warpgroups;
struct Counters;

struct Launch {
    const LaunchSite* site;
    Config config;
    void (*body)(void*);
    void* context;
    unsigned serial;           // counts launches of the process, from 1
    double began = 0;          // seconds of processor time that the host's thread had had then
    int threads, warps;
    uint64_t blocks;
    std::atomic<uint64_t> next{0};
    uint64_t ran = 0;                    // blocks that came to their end, where not all of them are run
    uint64_t left = 0, told = 0, heavier = 0;  // blocks that were abandoned; whose share their threads tell; of the others
                                         // those that had had more to do than any that came to its end
    bool exhausted = false, goes_round = false, talks = false, stands = false;
    std::atomic<bool> undefined{false};  // a shuffle gave the value of no lane: what is computed from it says nothing
    std::atomic<bool> aborted{false};
    bool on_several_cores = false;
    std::atomic<bool> restart{false};    // with the cluster that the kernel is compiled for
    std::atomic<int> bound{0};           // threads of a block that the kernel is compiled for; 0: any
    dim3 compiled_cluster;
    uint3 index[MAX_THREADS_PER_BLOCK];  // threadIdx by rank
    std::atomic<uint64_t> last_block{~uint64_t(0)};  // the block that ended the launch early: those after it do not count
    uint64_t turns = 0;        // of resident blocks, at whose end all of a block's threads waited for others, or had ended
};

// How far a thread's last fence reaches: __threadfence_block(), or __threadfence() and wider.
constexpr uint32_t FENCED_BLOCK = 1, FENCED_DEVICE = 2;

struct alignas(64) Worker {
    // What ok_barrier in schedule.cpp reads by offset.
    void* main = nullptr;       // the context of the worker itself
    Thread* current = nullptr;  // null outside kernels

    Launch* launch = nullptr;
    unsigned rank = 0;          // of the current thread
    uint64_t block = 0;         // linear index of the block, from 0
    // With what stands above, what each access asks for.
    char* arena = nullptr;               // this worker's shared memory
    PlainShadow* plain = nullptr;        // what the checkers know of those of its words that are touched plainly, or null
    uintptr_t own_stack = ~uintptr_t(0); // where the running thread's begins, its guard included; else where the last one's did
    unsigned asked = NO_THREAD_RUNS;     // of the options ASKED, those that are on while a thread runs
    bool copies_under_way = false;
    // The block's clock: every barrier and every collective advances it.
    uint32_t time = 1, barrier_time = 1;

    int warp = 0;               // whose lanes run now
    int spins = 0;              // atomics since the current thread was given its turn
    unsigned runnable_warps = 0;
    int alive = 0, arrived = 0;
    int vote_count = 0, vote_and = 1, vote_or = 0, vote_kind = 0, vote_result[4] = {};
    Site barrier_at{nullptr, 0};
    bool active_mask_asked = false;
    static constexpr int RANK_BITS = 10;
    uint64_t clock_reader = ~uint64_t(0);  // block and rank of the thread that has read the clock last, and how often in a row
    int clock_reads = 0;

    ShadowWord* shadow = nullptr;      // what the checkers know of the arena
    ResidentBlocks* resident = nullptr;  // those that are live together with this one, and which of them it is
    int member = 0;
    size_t shared_used = 0;     // bytes of the arena that the launch's blocks have used
    AsyncCopies* copies = nullptr;  // of the running block; null until one of this worker's makes some
    bool is_awaited = false;    // the block whose memory is touched now waits for that: it is there as long
    OwnBarriers* barriers = nullptr;  // mbarriers and named barriers of the running block; null until there are some
    BulkStores* bulk_stores = nullptr;  // of the running block's threads; null until one has asked for some
    Warpgroups* warpgroups = nullptr;   // of the running block; null until they do something together
    Counters* counters = nullptr;  // what its blocks have moved, in the launch that they were started for; null until they count
    unsigned counted = 0;       // that launch's serial
    uintptr_t suspect = 0;      // the last address that a hook complained of
    volatile int busy = 0;      // holds a lock or allocates: a signal must not leave now

    // By rank, apart from the threads' other fields: a barrier touches these of every thread.
    void* contexts[MAX_THREADS_PER_BLOCK];   // where a thread stopped; meaningful unless its warp calls it fresh
    uint32_t fenced[MAX_THREADS_PER_BLOCK];  // FENCED_..., 0 if there was no fence since it last released
    Thread threads[MAX_THREADS_PER_BLOCK];
    Warp warps[MAX_WARPS];
    uint32_t seen[MAX_WARPS][WARP][WARP];

    char* stacks = nullptr;
    int stacks_made = 0;
    std::vector<int> stacks_free;
};

// thread_local.cpp
#define OK_THREAD_LOCAL __attribute__((visibility("default"), tls_model("initial-exec")))
extern __thread Worker* worker __asm__("ok_worker") OK_THREAD_LOCAL;
extern int stacks_of_process __asm__("ok_stacks_made") __attribute__((visibility("default")));  // of all its programs

struct Busy {
    Busy() { if (worker) worker->busy = worker->busy + 1; }
    ~Busy() { if (worker) worker->busy = worker->busy - 1; }
};

inline uint3 unflatten(uint64_t i, dim3 shape) {  // a linear index in its dimensions
    return {unsigned(i % shape.x), unsigned(i / shape.x % shape.y), unsigned(i / shape.x / shape.y)};
}
inline Warp& warp_of(Worker& w, unsigned rank) { return w.warps[rank / WARP]; }

// schedule.cpp
void run_block(Worker& w, uint64_t block);
void begin_block(Worker& w, uint64_t block);
bool run_on(Worker& w);              // runs the block's threads until none can go on; false: none could
void leave_block(Worker& w);         // the current thread lets the other resident blocks run; comes back
void yield();                        // the current thread waits; comes back when it was made runnable
void give_way(Worker& w);            // lets the others run, when the current thread seems to wait for them
[[noreturn]] void abandon_block();   // back to the worker; the block's threads are forgotten
void make_runnable(Worker& w, int warp, unsigned lanes);
void* stack_top(Worker& w, int stack);
constexpr size_t STACKS_BYTES = size_t(MAX_THREADS_PER_BLOCK + 1) * (GUARD_BYTES + STACK_BYTES);  // of a worker's threads
bool make_stacks(Worker& w);  // false: the process has no room for them
void give_back_stacks(Worker& w);
bool in_stack_guard(const Worker& w, uintptr_t address);
// warp.cpp
void lane_left(Worker& w, int warp);         // a lane exited: a collective may be complete without it
bool resolve_active_mask(Worker& w, int warp);
// warp_matrix.cpp
bool same_instruction(const Thread& a, const Thread& b);
void compute_warp_matrix(Worker& w, int warp, unsigned group);
// launch.cpp
Worker& host_worker();
void end_launch(Worker& w);          // the running block is the last one that counts
// crash.cpp
void guard_thread();                 // signal stack and CPU-time limit for the calling thread
void unguard_thread();
}  // namespace __ok

extern "C" __thread uint3 ok_threadIdx OK_THREAD_LOCAL;
extern "C" __thread uint3 ok_blockIdx OK_THREAD_LOCAL;
extern "C" __thread uint3 ok_blockDim OK_THREAD_LOCAL;
extern "C" __thread uint3 ok_gridDim OK_THREAD_LOCAL;

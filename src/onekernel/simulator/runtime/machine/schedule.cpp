// One block on one core: each CUDA thread is a fiber that runs until it must wait; lanes in order, warps in order.
#include <sys/mman.h>

#include "../events.h"
#include "../report/findings.h"
#include "bulk_copies.h"
#include "mbarrier.h"
#include "program.h"
#include "resident_blocks.h"
#include "state.h"
#include "warpgroup.h"

namespace __ok {
static inline uintptr_t stack_begin(const Worker& w, int stack) {
    return reinterpret_cast<uintptr_t>(w.stacks) + size_t(stack) * (GUARD_BYTES + STACK_BYTES);
}

// The tops of the stacks are staggered over the sets of the cache.
void* stack_top(Worker& w, int stack) {
    char* end = w.stacks + size_t(stack + 1) * (GUARD_BYTES + STACK_BYTES);
    return end - 64 - (stack * 320) % 3072 / 64 * 64;
}

bool in_stack_guard(const Worker& w, uintptr_t address) {
    uintptr_t offset = address - reinterpret_cast<uintptr_t>(w.stacks);
    return w.stacks && offset < size_t(w.stacks_made) * (GUARD_BYTES + STACK_BYTES) &&
           offset % (GUARD_BYTES + STACK_BYTES) < GUARD_BYTES;
}

bool make_stacks(Worker& w) {
    if (w.stacks) return true;
    void* p = mmap(nullptr, STACKS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) w.stacks = static_cast<char*>(p);
    return w.stacks;
}

void give_back_stacks(Worker& w) {
    if (!w.stacks) return;
    munmap(w.stacks, STACKS_BYTES);
    __atomic_fetch_sub(&stacks_of_process, w.stacks_made, __ATOMIC_RELAXED);
    w.stacks = nullptr;
    w.stacks_made = 0;
    w.stacks_free.clear();
}

static int take_stack(Worker& w) {
    if (w.stacks_free.empty()) {
        Busy busy;
        size_t each = GUARD_BYTES + STACK_BYTES;
        if (may_guard(w)) mprotect(w.stacks + w.stacks_made * each, GUARD_BYTES, PROT_NONE);
        if (!w.resident) __atomic_fetch_add(&stacks_of_process, 1, __ATOMIC_RELAXED);
        w.stacks_free.reserve(MAX_THREADS_PER_BLOCK + 1);  // threads that end give theirs back: that must not allocate
        w.stacks_free.push_back(w.stacks_made++);
    }
    int stack = w.stacks_free.back();
    w.stacks_free.pop_back();
    return stack;
}

void make_runnable(Worker& w, int warp, unsigned lanes) {
    w.warps[warp].runnable |= lanes;
    if (lanes) w.runnable_warps |= 1u << warp;
}

static void release_barrier(Worker& w) {
    if (w.alive < w.launch->threads)
        (is_program ? Finding("early-return", uint64_t(w.barrier_at.line)) : Finding("divergent-barrier", uint64_t(w.barrier_at.line), 1).form("exited")).at(w.barrier_at).here()
            .number("waiting", w.arrived).number("threads", w.launch->threads).number("gone", w.launch->threads - w.alive).add();
    barrier_complete(w, w.barrier_at);
    w.vote_result[VOTE_COUNT] = w.vote_count;
    w.vote_result[VOTE_AND] = w.vote_and;
    w.vote_result[VOTE_OR] = w.vote_or;
    w.vote_count = w.vote_or = w.arrived = 0;
    w.vote_and = 1;
    w.barrier_at = Site(nullptr, 0);
    w.barrier_time = ++w.time;
    for (int i = 0; i < w.launch->warps; i++) {
        make_runnable(w, i, w.warps[i].barrier);
        w.warps[i].barrier = w.warps[i].elsewhere = 0;
    }
    barrier_passed(w);
}

// Names the places where threads wait for each other for ever, at most four.
static void report_deadlock(Worker& w) {
    struct Group { Site at{nullptr, 0}; int threads = 0; int rank = 0; };
    Group groups[4];
    int count = 0;
    for (int i = 0; i < w.launch->threads; i++) {
        const Warp& wp = warp_of(w, i);
        if (!(wp.alive >> i % WARP & 1)) continue;
        bool with_others = (wp.barrier & ~wp.elsewhere) >> i % WARP & 1;
        const Site& at = with_others ? w.barrier_at : w.threads[i].at;
        int g = 0;
        while (g < count && groups[g].at.line != at.line) g++;
        if (g == 4) continue;
        if (g == count) {
            groups[count].at = at;
            groups[count++].rank = i;
        }
        groups[g].threads++;
    }
    for (int g = 0; g < count; g++) {  // a lane whose mask names lanes that are elsewhere explains all the waiting
        const Thread& t = w.threads[groups[g].rank];
        const Warp& wp = warp_of(w, groups[g].rank);
        unsigned missing = t.mask & wp.alive & ~wp.collective;
        if (!(wp.collective >> groups[g].rank % WARP & 1) || !missing) continue;
        Finding("deadlock").form("mask").at(groups[g].at).other_at(groups[g ? 0 : 1].at).here().number("lanes", __builtin_popcount(wp.collective))
            .hex("mask", t.mask, 8).number("missing", __builtin_popcount(missing)).number("first", __builtin_ctz(missing)).add();
        return;
    }
    Finding("deadlock").form("threads").at(groups[0].at).other_at(groups[1].at).here().number("threads", groups[0].threads).add();
}

// The rank of the next thread to run, or NOBODY when the block is done. `w.warp` has no lane to run.
constexpr unsigned NOBODY = ~0u;
[[gnu::noinline]] static unsigned pick_in_another_warp(Worker& w) {
    for (;;) {
        Warp& wp = w.warps[w.warp];
        if (wp.runnable) return static_cast<unsigned>(w.warp * WARP + __builtin_ctz(wp.runnable));
        w.runnable_warps &= ~(1u << w.warp);
        if (w.active_mask_asked && resolve_active_mask(w, w.warp)) continue;
        if (w.runnable_warps) {
            unsigned later = w.runnable_warps & ~((2u << w.warp) - 1);
            w.warp = __builtin_ctz(later ? later : w.runnable_warps);
            continue;
        }
        if (!w.alive) return NOBODY;
        if (w.arrived == w.alive) {
            release_barrier(w);
            w.warp = 0;
            continue;
        }
        if (w.active_mask_asked) {
            bool resolved = false;
            for (int i = 0; i < w.launch->warps && !resolved; i++)
                if (resolve_active_mask(w, i)) { w.warp = i; resolved = true; }
            if (resolved) continue;
            w.active_mask_asked = false;
        }
        if (waits_for_blocks(w)) return NOBODY;  // for other blocks
        if (wake_waiting(w)) continue;
        if (!w.warpgroups || !tell_missing_warp(w)) report_deadlock(w);
        end_launch(w);
        return NOBODY;
    }
}

static inline __attribute__((always_inline)) unsigned pick(Worker& w) {
    unsigned runnable = w.warps[w.warp].runnable;
    // Mostly the lane after the one that stops: then a branch tells it, which the processor foresees, and it need not wait
    // for the bits that were just changed to know whose turn it is.
    const unsigned rank = w.rank, lane = rank % WARP;
    if (__builtin_expect(rank / WARP == unsigned(w.warp) && lane != WARP - 1 && (runnable & ((4u << lane) - 1)) == 2u << lane, 1)) {
        unsigned next = rank + 1;
        __asm__("" : "+r"(next));  // no conditional move of both
        return next;
    }
    if (__builtin_expect(runnable != 0, 1)) return static_cast<unsigned>(w.warp * WARP + __builtin_ctz(runnable));
    return pick_in_another_warp(w);
}

// Gives thread `rank` its turn. True if it has not begun yet.
static inline bool enter(Worker& w, unsigned rank) {
    w.current = w.threads + rank;
    w.rank = rank;
    w.spins = 0;
    ok_threadIdx = w.launch->index[rank];
    Warp& wp = warp_of(w, rank);
    unsigned bit = 1u << rank % WARP;
    if (__builtin_expect(!(wp.fresh & bit), 1)) return false;
    wp.fresh &= ~bit;
    return true;
}

static void run_threads();

[[gnu::noinline]] static void* begin(Worker& w) {
    w.current->stack = take_stack(w);
    w.own_stack = stack_begin(w, w.current->stack);
    return ok_fiber_make(stack_top(w, w.current->stack), run_threads);
}

// Gives thread `rank` its turn and returns the context to continue, with a stack of its own if it begins.
static inline __attribute__((always_inline)) void* resume(Worker& w, unsigned rank) {
    if (__builtin_expect(enter(w, rank), 0)) return begin(w);
    void* context = w.contexts[rank];
    w.own_stack = stack_begin(w, w.current->stack);
    // Of threads that come to a barrier in turn the next one's stack is rarely near: ask for it in time.
    char* soon = static_cast<char*>(w.contexts[(rank + 2) % MAX_THREADS_PER_BLOCK]);
    __builtin_prefetch(soon);
    __builtin_prefetch(soon + 64);
    return context;
}

static void run_threads() {
    Worker& w = *worker;
    for (;;) {
        w.launch->body(w.launch->context);
        if (w.bulk_stores) bulk_thread_left(w);
        if (w.warpgroups) warpgroup_thread_left(w);
        thread_stops(w);
        Thread* me = w.current;
        unsigned bit = 1u << w.rank % WARP;
        Warp& wp = warp_of(w, w.rank);
        wp.alive &= ~bit;
        wp.runnable &= ~bit;
        w.alive--;
        if (w.resident) block_barrier_thread_left(w);
        if (wp.collective) lane_left(w, w.rank / WARP);
        unsigned next = pick(w);
        if (next == NOBODY) break;
        if (enter(w, next)) {
            w.current->stack = me->stack;
            continue;
        }
        w.stacks_free.push_back(me->stack);
        w.own_stack = stack_begin(w, w.current->stack);
        ok_fiber_jump(w.contexts[next]);
    }
    abandon_block();
}

void yield() {
    Worker& w = *worker;
    unsigned me = w.rank, next = pick(w);
    if (next == me) return;
    if (next == NOBODY) leave_block(w);
    else ok_fiber_switch(&w.contexts[me], resume(w, next));
}

void give_way(Worker& w) {
    w.spins = 0;
    if (blocks_take_turn(w)) {
        leave_block(w);
        return;
    }
    unsigned rank = w.rank, bit = 1u << rank % WARP;
    for (int step = 0; step <= w.launch->warps; step++) {
        int warp = static_cast<int>((rank / WARP + step) % w.launch->warps);
        unsigned ready = w.warps[warp].runnable;
        if (step == 0) ready &= ~(bit | (bit - 1));                          // the lanes after mine first
        if (step == w.launch->warps) ready &= bit - 1;  // at last those before
        if (!ready) continue;
        w.warp = warp;
        unsigned next = static_cast<unsigned>(warp * WARP + __builtin_ctz(ready));
        if (next != rank) ok_fiber_switch(&w.contexts[rank], resume(w, next));
        return;
    }
}

void abandon_block() {
    worker->busy = 1;
    worker->current = nullptr;
    ok_fiber_jump(worker->main);
}

void leave_block(Worker& w) {
    if (w.resident) ok_fiber_switch(&w.contexts[w.rank], w.main);
    else abandon_block();
}

void begin_block(Worker& w, uint64_t block) {
    Launch& l = *w.launch;
    w.block = block;
    w.suspect = 0;
    w.time = w.barrier_time = 1;
    w.warp = w.arrived = 0;
    w.alive = l.threads;
    w.vote_count = w.vote_or = 0;
    w.vote_and = 1;
    w.active_mask_asked = false;
    w.barrier_at = Site(nullptr, 0);
    for (int i = 0; i < l.warps; i++) {
        int lanes = l.threads - i * WARP;
        unsigned bits = lanes >= WARP ? ~0u : (1u << lanes) - 1;
        w.warps[i] = {bits, bits, bits, 0, 0, 0, 0, 0, nullptr};
    }
    w.runnable_warps = l.warps == MAX_WARPS ? ~0u : (1u << l.warps) - 1;
    w.stacks_free.clear();
    for (int i = w.stacks_made; i-- > 0;) w.stacks_free.push_back(i);
    block_started(w);
    if (w.barriers) forget_barriers(w);
    if (w.bulk_stores) forget_bulk_stores(w);
    if (w.warpgroups) forget_warpgroups(w);
}

bool run_on(Worker& w) {
    w.busy = 1;  // until a thread runs: who left before would go back to where the last block was left
    uint3 grid = w.launch->config.grid;
    uint64_t block = w.block;
    ok_blockIdx = {unsigned(block % grid.x), unsigned(block / grid.x % grid.y), unsigned(block / grid.x / grid.y)};
    unsigned first = pick(w);
    if (first == NOBODY) return false;
    void* thread = resume(w, first);
    w.asked = options & ASKED;
    w.busy = 0;
    ok_fiber_switch(&w.main, thread);
    w.busy = 1;
    w.asked = NO_THREAD_RUNS;
    return true;
}

void run_block(Worker& w, uint64_t block) {
    begin_block(w, block);
    run_on(w);
    block_ended(w);
}

[[gnu::noinline]] static void arrive_elsewhere(Worker& w, Site at) {
    w.current->at = at;
    warp_of(w, w.rank).elsewhere |= 1u << w.rank % WARP;
    Finding("divergent-barrier", uint64_t(at.line), uint64_t(w.barrier_at.line)).form("two-places").at(w.barrier_at)
        .other_at(at).here().add();
}

// The running thread is at a barrier.
static inline __attribute__((always_inline)) void arrive(Worker& w, int vote, Site at) {
    unsigned bit = 1u << w.rank % WARP;
    Warp& wp = warp_of(w, w.rank);
    if (!w.barrier_at.file) {
        w.barrier_at = at;
        w.vote_kind = vote;
    } else if (__builtin_expect(w.barrier_at.line != at.line || w.vote_kind != vote, 0)) {
        arrive_elsewhere(w, at);
    }
    w.arrived++;
    wp.runnable &= ~bit;
    wp.barrier |= bit;
    thread_stops(w);
}

extern "C" int ok_barrier_vote(int vote, int predicate, Site at) {
    Worker& w = *worker;
    if (!w.current) {
        ok_unsupported("__syncthreads outside a kernel", at);
        return 0;
    }
    w.vote_count += predicate != 0;
    w.vote_and &= predicate != 0;
    w.vote_or |= predicate != 0;
    arrive(w, vote, at);
    yield();
    return vote == VOTE_NONE ? 0 : w.vote_result[vote];
}

#ifdef OK_BARRIER_BY_HAND
// A barrier without a vote, called by ok_barrier on the worker's own stack: the thread's context is saved. Returns the
// next thread's.
extern "C" void* ok_barrier_next(Worker* worker_of_thread, const char* file, int line, void* context) {
    Worker& w = *worker_of_thread;
    w.contexts[w.rank] = context;
    arrive(w, VOTE_NONE, Site(file, line));
    unsigned next = pick(w);
    if (next == NOBODY) abandon_block();
    return resume(w, next);
}
static_assert(offsetof(Worker, main) == 0 && offsetof(Worker, current) == 8, "fiber.cpp's ok_barrier reads them");
#else
extern "C" int ok_barrier(int vote, int predicate, Site at) { return ok_barrier_vote(vote, predicate, at); }
#endif

extern "C" unsigned ok_thread_rank() { return worker->rank; }
extern "C" bool ok_in_kernel() { return worker && worker->current; }
}  // namespace __ok

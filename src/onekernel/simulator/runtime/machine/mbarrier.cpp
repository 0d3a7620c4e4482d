// mbarrier and bar.sync with a number (PTX ISA, "Parallel Synchronization and Communication Instructions"). Who arrives releases
// what it has done, who has waited acquires it; asynchronous copies arrive when somebody asks, the latest that PTX allows.
#include "mbarrier.h"

#include <unordered_map>
#include <vector>

#include "../checkers/async_copies.h"
#include "../checkers/order.h"
#include "../events.h"
#include "../report/findings.h"
#include "launch.h"
#include "resident_blocks.h"

namespace __ok {
namespace {
struct PendingCopies {
    uint16_t thread;
    uint32_t batch;
};
struct MBarrier {
    uint32_t expected = 0, pending = 0, phase = 0;
    int64_t bytes = 0;  // that have been announced and have not come
    int64_t under_way = 0;  // of bulk copies
    std::vector<PendingCopies> copies;
    std::vector<uint16_t> waiting;
};
constexpr unsigned NAMED = 16;  // barriers that PTX knows by number
struct NamedBarrier {
    unsigned arrived = 0, expected = 0;
    std::vector<uint16_t> waiting, came;
};
}  // namespace

struct OwnBarriers {
    std::unordered_map<uint32_t, MBarrier> of_memory;  // by offset in the arena
    NamedBarrier named[NAMED + MAX_THREADS_PER_BLOCK / (2 * WARP)];  // and one for each tile of several warps
    bool woken = false;
};

namespace {
OwnBarriers& barriers_of(Worker& w) {
    if (!w.barriers) w.barriers = new OwnBarriers;
    return *w.barriers;
}

// The block in whose shared memory the object lies, and where.
Worker& owner_of(Worker& w, uintptr_t address, uint32_t& offset) {
    uintptr_t own = address - reinterpret_cast<uintptr_t>(w.arena);
    offset = static_cast<uint32_t>(own);
    if (own < ARENA_BYTES || !w.resident) return w;
    uintptr_t all = address - reinterpret_cast<uintptr_t>(w.resident->arenas);
    if (all >= w.resident->size * ARENA_BYTES) return w;
    offset = static_cast<uint32_t>(all % ARENA_BYTES);
    return *w.resident->members[all / ARENA_BYTES].worker;
}

MBarrier& find(Worker& w, void* object, Site at) {
    uint32_t offset;
    Worker& owner = owner_of(w, reinterpret_cast<uintptr_t>(object), offset);
    auto& known = barriers_of(owner).of_memory;
    auto found = known.find(offset);
    if (found == known.end()) trap("an mbarrier that was never initialised", at);
    return found->second;
}

void wake(Worker& w, std::vector<uint16_t>& waiting) {
    for (uint16_t rank : waiting) make_runnable(w, rank / WARP, 1u << rank % WARP);
    waiting.clear();
}

void complete_if_done(Worker& w, MBarrier& b) {
    if (b.pending || b.bytes) return;
    b.phase++;
    b.pending = b.expected;
    if (w.barriers) w.barriers->woken = false;
    wake(w, b.waiting);
}

void suspend(Worker& w, std::vector<uint16_t>& waiting, Site at) {
    w.current->at = at;
    {
        Busy busy;
        waiting.push_back(static_cast<uint16_t>(w.rank));
    }
    warp_of(w, w.rank).runnable &= ~(1u << w.rank % WARP);
    thread_stops(w);
    yield();
}

// The calling thread's part in the object: checked as an atomic, which releases what the thread has done.
void touch(Worker& w, void* object, bool writes, uintptr_t pc) {
    uint32_t before = w.fenced[w.rank];
    w.fenced[w.rank] = FENCED_DEVICE;
    w.is_awaited = true;
    atomic_access(w, reinterpret_cast<uintptr_t>(object), 8, writes, pc);
    w.is_awaited = false;
    w.fenced[w.rank] = before;
    if (writes) w.time++;
}

void land(Worker& w, MBarrier& b, uintptr_t object, uint32_t offset) {
    if (b.copies.empty() && !b.under_way) return;
    std::vector<PendingCopies> copies;
    copies.swap(b.copies);
    uint32_t landing = copies_land(w, object, b.phase);
    for (const PendingCopies& c : copies) {
        copies_arrive(w, c.thread, c.batch, landing);
        b.pending--;
    }
    bulk_copies_arrive(w, offset, landing);
    b.bytes -= b.under_way;
    b.under_way = 0;
    complete_if_done(w, b);
}
}  // namespace

void wait_among(Worker& w, std::vector<uint16_t>& waiting, Site at) { suspend(w, waiting, at); }
void wake_all(Worker& w, std::vector<uint16_t>& waiting) { wake(w, waiting); }

static void meet(Worker& w, const void* object, bool releases) {
    if (!(options & RACES)) return;
    uint32_t before = w.fenced[w.rank];
    w.fenced[w.rank] = FENCED_DEVICE;
    synchronise(w, reinterpret_cast<uintptr_t>(object), releases);
    w.fenced[w.rank] = before;
}
void release_at(Worker& w, const void* object) {
    meet(w, object, true);
    w.time++;
}
void acquire_at(Worker& w, const void* object) { meet(w, object, false); }

Worker& owner_of_shared(Worker& w, const void* at, uint32_t& offset) { return owner_of(w, reinterpret_cast<uintptr_t>(at), offset); }

void bulk_copy_tells(Worker& w, void* object, int64_t bytes, Site at, uintptr_t pc) {
    touch(w, object, true, pc);  // who waits there comes behind the copy, and behind its start
    find(w, object, at).under_way += bytes;
}

void forget_barriers(Worker& w) {
    w.barriers->of_memory.clear();
    w.barriers->woken = false;
    for (NamedBarrier& b : w.barriers->named) b = NamedBarrier();
}

void release_barriers(Worker& w) { delete w.barriers; }

bool wake_waiting(Worker& w) {
    if (!w.barriers || w.barriers->woken) return false;
    bool any = false;
    for (auto& [offset, b] : w.barriers->of_memory) {
        any |= !b.waiting.empty();
        wake(w, b.waiting);
    }
    w.barriers->woken = any;
    return any;
}

#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

extern "C" void ok_mbarrier_init(void* object, unsigned count, Site at) {
    Worker& w = *worker;
    Busy busy;
    plain_write(w, reinterpret_cast<uintptr_t>(object), 8, PC);
    uint32_t offset;
    Worker& owner = owner_of(w, reinterpret_cast<uintptr_t>(object), offset);
    if (offset >= ARENA_BYTES || count == 0 || count >= 1u << 20) trap("mbarrier.init with no thread to wait for, or outside of shared memory", at);
    barriers_of(owner).of_memory[offset] = MBarrier{count, count, 0, 0, 0, {}, {}};
}

extern "C" void ok_mbarrier_inval(void* object, Site at) {
    Worker& w = *worker;
    Busy busy;
    find(w, object, at);
    uint32_t offset;
    barriers_of(owner_of(w, reinterpret_cast<uintptr_t>(object), offset)).of_memory.erase(offset);
}

extern "C" uint64_t ok_mbarrier_arrive(void* object, unsigned count, long long bytes, bool drops, Site at) {
    Worker& w = *worker;
    Busy busy;
    touch(w, object, true, PC);
    MBarrier& b = find(w, object, at);
    uint32_t offset;
    Worker& owner = owner_of(w, reinterpret_cast<uintptr_t>(object), offset);
    if (count > b.pending) land(owner, b, reinterpret_cast<uintptr_t>(owner.arena) + offset, offset);  // the phase ends without anybody's asking
    uint64_t before = b.phase;
    b.bytes += bytes;
    if (count > b.pending) trap("an arrival at an mbarrier that waits for none in this phase", at);
    b.pending -= count;
    if (drops) b.expected -= count;
    if (count || bytes < 0) complete_if_done(owner, b);
    return before;
}

extern "C" bool ok_mbarrier_wait(void* object, uint64_t phase, bool parity, bool waits, Site at) {
    Worker& w = *worker;
    auto passed = [&] {
        Busy busy;
        uint32_t offset;
        owner_of(w, reinterpret_cast<uintptr_t>(object), offset);
        MBarrier& b = find(w, object, at);
        auto over = [&] { return parity ? (b.phase & 1) != (phase & 1) : b.phase != static_cast<uint32_t>(phase); };
        if (!over()) land(w, b, reinterpret_cast<uintptr_t>(object), offset);  // no earlier than somebody needs it
        return over();
    };
    bool done = passed();
    if (!done && waits && !w.resident) {
        suspend(w, find(w, object, at).waiting, at);
        done = passed();
    } else if (!done && (w.resident || ++w.spins > 64)) {
        give_way(w);
        done = passed();
    }
    if (!done) return false;
    Busy busy;
    touch(w, object, false, PC);
    copies_seen(w, reinterpret_cast<uintptr_t>(object), find(w, object, at).phase);
    return true;
}

extern "C" void ok_store_async(void* to, const void* from, size_t bytes, void* object, Site at) {
    Worker& w = *worker;
    Busy busy;
    w.is_awaited = true;
    plain_write(w, reinterpret_cast<uintptr_t>(to), static_cast<int>(bytes), PC);
    w.is_awaited = false;
    __builtin_memcpy(to, from, bytes);
    touch(w, object, true, PC);
    MBarrier& b = find(w, object, at);
    b.bytes -= static_cast<int64_t>(bytes);
    uint32_t offset;
    complete_if_done(owner_of(w, reinterpret_cast<uintptr_t>(object), offset), b);
}

// cp.async.mbarrier.arrive: the calling thread's copies so far arrive as one thread does. Without `counted` the object waits
// for one more.
extern "C" void ok_copies_arrive(void* object, bool counted, Site at) {
    Worker& w = *worker;
    Busy busy;
    touch(w, object, true, PC);
    MBarrier& b = find(w, object, at);
    if (!counted) b.pending++;
    ok_copies_closed();
    copies_handed(w);
    b.copies.push_back({static_cast<uint16_t>(w.rank), copies_closed(w)});
}

static void meet_at(NamedBarrier& b, unsigned threads, bool waits, Site at);

extern "C" void ok_tile_barrier(unsigned tile, unsigned threads, Site at) {
    const unsigned all = static_cast<unsigned>(worker->launch->threads);
    if (threads >= all) ok_barrier(VOTE_NONE, 0, at);
    else meet_at(barriers_of(*worker).named[NAMED + tile], std::min(threads, all - tile * threads), true, at);
}

// `threads` 0: all of the block.
extern "C" void ok_named_barrier(unsigned number, unsigned threads, bool waits, Site at) {
    Worker& w = *worker;
    unsigned all = static_cast<unsigned>(w.launch->threads);
    if (!threads) threads = all;
    if (number == 0 && threads == all && waits) {
        ok_barrier(VOTE_NONE, 0, at);
        return;
    }
    if (number >= NAMED || threads % WARP || threads > (all + WARP - 1) / WARP * WARP)
        trap("a barrier whose number is not below 16, or whose threads are no whole warps of the block", at);
    meet_at(barriers_of(w).named[number], threads, waits, at);
}

static void meet_at(NamedBarrier& b, unsigned threads, bool waits, Site at) {
    Worker& w = *worker;
    thread_stops(w);
    {
        Busy busy;
        release_at(w, &b);
        b.came.push_back(static_cast<uint16_t>(w.rank));
    }
    b.expected = threads;
    if (++b.arrived < b.expected) {
        if (!waits) return;
        suspend(w, b.waiting, at);
    } else {
        Busy busy;
        barrier_complete(w, at);
        unsigned lanes[MAX_WARPS] = {};
        for (uint16_t rank : b.came) lanes[rank / WARP] |= 1u << rank % WARP;
        for (int i = 0; i < w.launch->warps; i++)
            if (lanes[i]) warp_reconverged(w, i, lanes[i], true);
        b.came.clear();
        b.arrived = 0;
        w.barriers->woken = false;
        wake(w, b.waiting);
    }
    if (waits) acquire_at(w, &b);
}
#undef PC
}  // namespace __ok

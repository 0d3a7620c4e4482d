// Runs resident blocks by turns: each until all its threads wait for others.
#include "resident_blocks.h"

#include <sys/mman.h>

#include "../checkers/async_copies.h"
#include "../checkers/order.h"
#include "../events.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "bulk_copies.h"
#include "launch.h"
#include "mbarrier.h"
#include "warpgroup.h"

namespace __ok {
namespace {
constexpr size_t SHADOW_EACH = ARENA_BYTES / 4 * sizeof(ShadowWord);
// Where a kernel overflows its stack most threads do, and the first of them have guards.
constexpr int MOST_GUARDS = 8192;

// Addresses for all members at once; pages are taken as they are touched. Shared, because a limit of data (RLIMIT_DATA)
// counts private addresses whether they are touched or not.
char* reserve(size_t bytes) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
}

dim3 clusters_of(const Config& c) {
    return dim3(c.grid.x / c.cluster.x, c.grid.y / c.cluster.y, c.grid.z / c.cluster.z);
}

}  // namespace

ResidentBlocks::ResidentBlocks(Launch& l) : launch(l) {
    const Config& c = l.config;
    cluster_blocks = static_cast<int>(c.cluster.x * c.cluster.y * c.cluster.z);
    size = c.cooperative ? static_cast<int>(l.blocks) : cluster_blocks;
    members.resize(size);
    clusters.resize(size / cluster_blocks);
    arenas = reserve(size * ARENA_BYTES);
    shadow = reserve(size * SHADOW_EACH);
    stacks = arenas && shadow ? reserve(size * STACKS_BYTES) : nullptr;
    for (int i = 0; stacks && i < size; i++) {
        Worker* w = members[i].worker = new Worker;
        w->launch = &l;
        w->resident = this;
        w->counters = worker->counters;  // they take turns, and what one has done is counted before the next goes on
        w->counted = worker->counted;
        w->member = i;
        w->arena = arenas + i * ARENA_BYTES;
        w->shadow = reinterpret_cast<ShadowWord*>(shadow + i * SHADOW_EACH);
        w->stacks = stacks + i * STACKS_BYTES;
    }
}

ResidentBlocks::~ResidentBlocks() {
    if (arenas) munmap(arenas, size * ARENA_BYTES);
    if (shadow) munmap(shadow, size * SHADOW_EACH);
    if (stacks) munmap(stacks, size * STACKS_BYTES);
    for (ResidentBlock& m : members) {
        if (m.worker) release_copies(*m.worker);
        if (m.worker) release_barriers(*m.worker);
        if (m.worker) release_bulk_stores(*m.worker);
        if (m.worker) release_warpgroups(*m.worker);
        delete m.worker;
    }
}

uint64_t ResidentBlocks::block_of(int member) const {
    const Config& c = launch.config;
    uint3 base = unflatten(first + member / cluster_blocks, clusters_of(c)), in = unflatten(member % cluster_blocks, c.cluster);
    return base.x * c.cluster.x + in.x +
           uint64_t(c.grid.x) * (base.y * c.cluster.y + in.y + uint64_t(c.grid.y) * (base.z * c.cluster.z + in.z));
}

int ResidentBlocks::member_of(uint64_t block) const {
    const dim3 grid = launch.config.grid, cluster = launch.config.cluster, outer = clusters_of(launch.config);
    uint3 b = unflatten(block, grid);
    uint64_t number = b.x / cluster.x + uint64_t(outer.x) * (b.y / cluster.y + uint64_t(outer.y) * (b.z / cluster.z));
    if (number < first || number - first >= clusters.size()) return -1;
    unsigned rank = b.x % cluster.x + cluster.x * (b.y % cluster.y + cluster.y * (b.z % cluster.z));
    return static_cast<int>((number - first) * cluster_blocks + rank);
}

void ResidentBlocks::run(uint64_t first_cluster) {
    first = first_cluster;
    grid = BlockBarrier();
    grid.missing = long(size) * launch.threads;
    clusters.assign(clusters.size(), BlockBarrier());
    for (BlockBarrier& m : clusters) m.missing = long(cluster_blocks) * launch.threads;
    for (int i = 0; i < size; i++) {
        ResidentBlock& m = members[i];
        m.arrivals.assign(launch.threads, Arrivals());
        m.waiting = m.spins = 0;
        m.counted = false;
        m.met = 0;
        m.remote.live = false;
        begin_block(*m.worker, block_of(i));
    }
    for (bool live = true; live && !launch.aborted;) {
        bool moved = false;
        live = false;
        for (int i = 0; i < size && !launch.aborted; i++) {
            ResidentBlock& m = members[i];
            Worker& w = *m.worker;
            if (!w.alive) continue;
            live = true;
            worker = &w;
            bool ran = run_on(w);
            w.current = nullptr;
            if (!ran) continue;
            moved = true;
            if (launch.aborted || launch.exhausted) return;  // exhausted: a thread was abandoned, others cannot go on
            thread_stops(w);
            launch.turns += m.waiting == w.alive;
            if (w.alive) {
                if (m.waiting == w.alive) {
                    count_barrier(w, Site(nullptr, 0));
                    m.counted = true;
                }
                block_paused(w);
                continue;
            }
            block_ended(w);
            if (m.remote.live && !ordered_by_block_barrier(w, m.remote.access, 0)) report_exited_block(*this, i, m.remote);
        }
        if (live && !moved && !launch.aborted) {
            report_stuck(*this);
            launch.aborted = true;
        }
    }
}

int run_resident_blocks(Launch& launch) {
    Busy busy;
    Worker* host = worker;
    ResidentBlocks resident(launch);
    if (!resident.ready()) {
        ok_unsupported("so many blocks at once, for whose stacks this machine has no memory,", launch.site->at);
        return ok_fail(ERROR_MEMORY_ALLOCATION);
    }
    ok_gridDim = launch.config.grid;
    ok_blockDim = launch.config.block;
    uint64_t clusters = launch.blocks / resident.cluster_blocks;
    for (uint64_t c = 0; c < clusters && !launch.aborted && !launch.exhausted; c += resident.clusters.size()) resident.run(c);
    worker = host;
    return SUCCESS;
}

int waiting_for_blocks(const Worker& w) { return w.resident ? w.resident->members[w.member].waiting : 0; }
bool waits_for_blocks(const Worker& w) { return waiting_for_blocks(w); }

bool blocks_take_turn(Worker& w) {
    if (!w.resident || ++w.resident->members[w.member].spins <= w.alive) return false;
    w.resident->members[w.member].spins = 0;
    return true;
}

bool may_guard(Worker& w) { return !w.resident || ++w.resident->guards <= MOST_GUARDS; }

}  // namespace __ok

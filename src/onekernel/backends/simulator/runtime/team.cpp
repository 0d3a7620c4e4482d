// Runs the blocks of a team by turns: each until all its threads wait for others.
#include "team.h"

#include <sys/mman.h>

#include "coalesce.h"
#include "launch.h"
#include "memory.h"
#include "report.h"

namespace __ok {
namespace {
constexpr size_t STACKS_EACH = size_t(MAX_THREADS_PER_BLOCK + 1) * (GUARD_BYTES + STACK_BYTES);
constexpr size_t CELLS_EACH = ARENA_BYTES / 4 * sizeof(Cell);
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

Team::Team(Launch& l) : launch(l) {
    const Config& c = l.config;
    cluster_blocks = static_cast<int>(c.cluster.x * c.cluster.y * c.cluster.z);
    size = c.cooperative ? static_cast<int>(l.blocks) : cluster_blocks;
    members.resize(size);
    clusters.resize(size / cluster_blocks);
    arenas = reserve(size * ARENA_BYTES);
    cells = reserve(size * CELLS_EACH);
    stacks = arenas && cells ? reserve(size * STACKS_EACH) : nullptr;
    for (int i = 0; stacks && i < size; i++) {
        Worker* w = members[i].worker = new Worker;
        w->launch = &l;
        w->team = this;
        w->member = i;
        w->arena = arenas + i * ARENA_BYTES;
        w->cells = reinterpret_cast<Cell*>(cells + i * CELLS_EACH);
        w->stacks = stacks + i * STACKS_EACH;
    }
}

Team::~Team() {
    if (arenas) munmap(arenas, size * ARENA_BYTES);
    if (cells) munmap(cells, size * CELLS_EACH);
    if (stacks) munmap(stacks, size * STACKS_EACH);
    for (Member& m : members) delete m.worker;
}

uint64_t Team::block_of(int member) const {
    const Config& c = launch.config;
    uint3 base = split(first + member / cluster_blocks, clusters_of(c)), in = split(member % cluster_blocks, c.cluster);
    return base.x * c.cluster.x + in.x +
           uint64_t(c.grid.x) * (base.y * c.cluster.y + in.y + uint64_t(c.grid.y) * (base.z * c.cluster.z + in.z));
}

int Team::member_of(uint64_t block) const {
    const dim3 grid = launch.config.grid, cluster = launch.config.cluster, outer = clusters_of(launch.config);
    uint3 b = split(block, grid);
    uint64_t number = b.x / cluster.x + uint64_t(outer.x) * (b.y / cluster.y + uint64_t(outer.y) * (b.z / cluster.z));
    if (number < first || number - first >= clusters.size()) return -1;
    unsigned rank = b.x % cluster.x + cluster.x * (b.y % cluster.y + cluster.y * (b.z % cluster.z));
    return static_cast<int>((number - first) * cluster_blocks + rank);
}

void Team::run(uint64_t first_cluster) {
    first = first_cluster;
    grid = Meeting();
    grid.missing = long(size) * launch.threads;
    clusters.assign(clusters.size(), Meeting());
    for (Meeting& m : clusters) m.missing = long(cluster_blocks) * launch.threads;
    for (int i = 0; i < size; i++) {
        Member& m = members[i];
        m.seats.assign(launch.threads, Seat());
        m.waiting = m.spins = 0;
        m.counted = false;
        m.met = 0;
        m.visit.live = false;
        begin_block(*m.worker, block_of(i));
    }
    for (bool live = true; live && !launch.aborted;) {
        bool moved = false;
        live = false;
        for (int i = 0; i < size && !launch.aborted; i++) {
            Member& m = members[i];
            Worker& w = *m.worker;
            if (!w.alive) continue;
            live = true;
            worker = &w;
            w.busy = 0;
            bool ran = run_on(w);
            w.current = nullptr;
            w.busy = 1;
            if (!ran) continue;
            moved = true;
            if (launch.aborted) return;
            if (options & RACES) settle(w);
            if (w.alive) {
                if (options & COUNTS && m.waiting == w.alive) {
                    count_barrier(w, Site(nullptr, 0));
                    m.counted = true;
                }
                if (options & COUNTS) log_block_met(w);
                continue;
            }
            block_ended(w);
            if (m.visit.live && !ordered_by_team(w, m.visit.access, 0)) report_visit(*this, i, m.visit);
        }
        if (live && !moved && !launch.aborted) {
            report_stuck(*this);
            launch.aborted = true;
        }
    }
}

int run_teams(Launch& launch) {
    Busy busy;
    Worker* host = worker;
    Team team(launch);
    if (!team.ready()) {
        ok_unsupported("so many blocks at once, for whose stacks this machine has no memory,", launch.site->at);
        return ok_fail(ERROR_MEMORY_ALLOCATION);
    }
    ok_gridDim = launch.config.grid;
    ok_blockDim = launch.config.block;
    uint64_t clusters = launch.blocks / team.cluster_blocks;
    for (uint64_t c = 0; c < clusters && !launch.aborted; c += team.clusters.size()) team.run(c);
    worker = host;
    return SUCCESS;
}

bool team_waits(const Worker& w) { return w.team && w.team->members[w.member].waiting; }

bool team_takes_turn(Worker& w) {
    if (!w.team || ++w.team->members[w.member].spins <= w.alive) return false;
    w.team->members[w.member].spins = 0;
    return true;
}

bool may_guard(Worker& w) { return !w.team || ++w.team->guards <= MOST_GUARDS; }

}  // namespace __ok

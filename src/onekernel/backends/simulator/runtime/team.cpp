#include "team.h"

#include <sys/mman.h>

#include <algorithm>

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

uint3 split(uint64_t i, dim3 shape) {
    return {unsigned(i % shape.x), unsigned(i / shape.x % shape.y), unsigned(i / shape.x / shape.y)};
}

dim3 clusters_of(const Config& c) {
    return dim3(c.grid.x / c.cluster.x, c.grid.y / c.cluster.y, c.grid.z / c.cluster.z);
}

Seat& seat_of(Worker& w) { return w.team->members[w.member].seats[w.rank]; }

Site waiting_at(const Member& m) {
    size_t t = 0;
    while (t + 1 < m.seats.size() && m.seats[t].waits < 0) t++;
    return m.worker->threads[t].at;
}

void count_barrier(Worker& block, Site at) {
    Worker* running = worker;
    worker = &block;
    log_barrier(at.file ? at : waiting_at(block.team->members[block.member]));
    worker = running;
}

// The meeting is complete: all go on. What they did before is ordered before what they do now.
void pass(Worker& w, int level, Site at) {
    Team& team = *w.team;
    Meeting& m = team.meeting(level, w.member);
    int from = level == GRID ? 0 : w.member / team.cluster_blocks * team.cluster_blocks;
    int to = level == GRID ? team.size : from + team.cluster_blocks;
    for (int i = from; i < to; i++) {
        Member& other = team.members[i];
        Worker& block = *other.worker;
        if (options & COUNTS && !other.counted) count_barrier(block, at);
        other.counted = false;
        m.missing += block.alive;
        if (!m.split) block.barrier_time = other.met = ++block.time;
        for (int t = 0; other.waiting && t < team.launch.threads; t++) {
            if (other.seats[t].waits != level) continue;
            other.seats[t].waits = -1;
            other.waiting--;
            make_runnable(block, t / WARP, 1u << t % WARP);
        }
    }
    if (options & COUNTS && !m.split) log_block_met(w);
    if (level == GRID && !m.split) forget_accesses();
    if (level == CLUSTER && !m.split && options & RACES) order_blocks_met(from, to);
    m.split = m.begun = false;
    m.phase++;
}

// Threads that no other will ever join at a barrier of several blocks: who waits where, and what the others do.
void report_stuck(Team& team) {
    Member* first = nullptr;
    Site at(nullptr, 0), other(nullptr, 0);
    long waiting = 0, alive = 0;
    int level = GRID;
    for (Member& m : team.members) {
        alive += m.worker->alive;
        waiting += m.waiting;
        for (int t = 0; t < team.launch.threads; t++) {
            const Warp& wp = warp_of(*m.worker, t);
            if (!(wp.alive >> t % WARP & 1)) continue;
            if (m.seats[t].waits < 0) {
                bool at_barrier = (wp.barrier & ~wp.apart) >> t % WARP & 1;
                if (!other.file) other = at_barrier ? m.worker->barrier_at : m.worker->threads[t].at;
            } else if (!first) {
                first = &m;
                m.worker->rank = t;
                level = m.seats[t].waits;
                at = m.worker->threads[t].at;
            }
        }
    }
    if (!first || !first_of("divergent-barrier", uint64_t(at.line), 2)) return;
    long threads = long(team.size) * team.launch.threads;
    worker = first->worker;
    Finding f("divergent-barrier");
    f.at(at).other_at(other).here().number("waiting", waiting).number("threads", threads).number("gone", threads - alive);
    f.number("others", alive - waiting);
    if (level == CLUSTER) f.text("kind", "cluster-elsewhere");
    else f.text("kind", alive == waiting ? "grid-exited" : "grid-elsewhere");
    f.add();
}

void report_visit(const Team& team, int visited, const Visit& v) {
    if (!first_of("exited-block", v.pc)) return;
    char reader[96], thread[96], owner[96];
    auto text = [](char (&out)[96], uint3 i) { snprintf(out, sizeof out, "(%u,%u,%u)", i.x, i.y, i.z); };
    text(reader, split(v.access.block - 1, team.launch.config.grid));
    text(thread, team.launch.index[v.access.thread]);
    text(owner, split(team.block_of(visited), team.launch.config.grid));
    Finding("exited-block").code_at(v.pc).text("block", reader).text("thread", thread).text("other_block", owner)
        .text("variable", v.array->name).number("index", v.index).text("access", v.access.flags & WRITES ? "write" : "read").add();
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

// PTX's cluster barrier waits for the threads that have not exited. A grid's waits for all.
void team_thread_left(Worker& w) {
    Meeting& m = w.team->meeting(CLUSTER, w.member);
    if (seat_of(w).arrived[CLUSTER] == m.phase && !--m.missing && m.begun) pass(w, CLUSTER, Site(nullptr, 0));
}

extern "C" unsigned ok_team_arrive(int level, bool waits, Site at) {
    Worker& w = *worker;
    if (level == CLUSTER && w.current && !w.team) return 0;  // a cluster of one block
    if (!w.current || !w.team || (level == GRID && !w.launch->config.cooperative)) {
        if (w.current && first_of("bad-launch", uint64_t(at.line), 98)) {
            Finding f("bad-launch");
            f.at(at).other_at(w.launch->site->at).here().text("kind", "not-cooperative").add();
        }
        if (!w.current) return 0;
        stop_launch(ERROR_LAUNCH_FAILURE);
    }
    if (options & RACES) settle(w);
    Meeting& m = w.team->meeting(level, w.member);
    Seat& seat = seat_of(w);
    seat.times[level][m.phase & 1] = ++w.time;
    seat.arrived[level] = m.phase + 1;
    w.current->at = at;
    m.begun = true;
    m.split |= !waits;
    unsigned phase = m.phase;
    if (!--m.missing) pass(w, level, at);
    return phase;
}

extern "C" void ok_team_wait(int level, unsigned phase, Site at) {
    Worker& w = *worker;
    if (!w.team) {
        ok_barrier(VOTE_NONE, 0, at);
        return;
    }
    Member& member = w.team->members[w.member];
    Seat& seat = member.seats[w.rank];
    if (w.team->meeting(level, w.member).phase <= phase) {
        w.current->at = at;
        seat.waits = level;
        member.waiting++;
        warp_of(w, w.rank).runnable &= ~(1u << w.rank % WARP);
        yield();
    }
    seat.met[level] = phase + 1;
}

extern "C" void ok_team_wait_last(int level, Site at) {
    Worker& w = *worker;
    unsigned arrived = w.team ? seat_of(w).arrived[level] : 0;
    ok_team_wait(level, arrived ? arrived - 1 : 0, at);
}

bool ordered_by_team(Worker& w, const Access& p, unsigned rank) {
    Team& team = *w.team;
    int other = team.member_of(p.block - 1);
    if (other < 0) return false;
    const Seat& mine = team.members[w.member].seats[rank];
    const Seat& theirs = team.members[other].seats[p.thread];
    for (int level : {CLUSTER, GRID}) {
        if (!mine.met[level] || &team.meeting(level, other) != &team.meeting(level, w.member)) continue;
        if (p.time < theirs.times[level][(mine.met[level] - 1) & 1]) return true;
    }
    return false;
}

bool visit_shared(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    Team& team = *w.team;
    uintptr_t offset = address - reinterpret_cast<uintptr_t>(team.arenas);
    if (offset >= team.size * ARENA_BYTES) return false;
    int visited = static_cast<int>(offset / ARENA_BYTES);
    uint32_t at = static_cast<uint32_t>(offset % ARENA_BYTES);
    const SharedArray* s = shared_at(at);
    if (!s || at + bytes > s->offset + s->bytes) {
        report_shared(at, bytes, flags, pc);
        return true;
    }
    if (address & (bytes - 1)) report_misaligned(address, bytes, pc, s->name);
    Member& owner = team.members[visited];
    Access now{static_cast<uint32_t>(w.block + 1), w.time, 0, w.rank, 15, static_cast<uint8_t>(flags)};
    owner.visit = {true, now, pc, s, (at - s->offset) / s->item};
    if (!owner.worker->alive) report_visit(team, visited, owner.visit);
    if (options & RACES)
        check_order(w, Place{nullptr, s, at, static_cast<uint32_t>(owner.worker->block + 1)}, owner.worker->cells, address,
                    reinterpret_cast<uintptr_t>(owner.worker->arena), bytes, flags, pc);
    if (options & COUNTS) log_access(w, offset + ARENA_BYTES, bytes, flags, pc, true);
    return true;
}
}  // namespace __ok

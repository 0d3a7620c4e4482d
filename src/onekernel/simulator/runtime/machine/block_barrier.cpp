// Barriers of several blocks: who has come, who waits, and what is ordered by them.
#include "../events.h"
#include "../report/findings.h"
#include "launch.h"
#include "resident_blocks.h"

namespace __ok {
static Arrivals& arrivals_of(Worker& w) { return w.resident->members[w.member].arrivals[w.rank]; }

static Site waiting_at(const ResidentBlock& m) {
    size_t t = 0;
    while (t + 1 < m.arrivals.size() && m.arrivals[t].waits < 0) t++;
    return m.worker->threads[t].at;
}

void count_barrier(Worker& block, Site at) {
    barrier_complete(block, at.file ? at : waiting_at(block.resident->members[block.member]));
}

// All have come: they go on. What they did before is ordered before what they do now.
static void pass(Worker& w, int level, Site at) {
    ResidentBlocks& resident = *w.resident;
    BlockBarrier& m = resident.barrier(level, w.member);
    int from = level == GRID ? 0 : w.member / resident.cluster_blocks * resident.cluster_blocks;
    int to = level == GRID ? resident.size : from + resident.cluster_blocks;
    for (int i = from; i < to; i++) {
        ResidentBlock& other = resident.members[i];
        Worker& block = *other.worker;
        if (!other.counted) count_barrier(block, at);
        other.counted = false;
        m.missing += block.alive;
        if (!m.split) block.barrier_time = other.met = ++block.time;
        for (int t = 0; other.waiting && t < resident.launch.threads; t++) {
            if (other.arrivals[t].waits != level) continue;
            other.arrivals[t].waits = -1;
            other.waiting--;
            make_runnable(block, t / WARP, 1u << t % WARP);
        }
    }
    if (!m.split) blocks_passed(w, level, from, to);
    m.split = m.begun = false;
    m.phase++;
}

// PTX's cluster barrier waits for the threads that have not exited. A grid's waits for all.
void block_barrier_thread_left(Worker& w) {
    BlockBarrier& m = w.resident->barrier(CLUSTER, w.member);
    if (arrivals_of(w).arrived[CLUSTER] == m.phase && !--m.missing && m.begun) pass(w, CLUSTER, Site(nullptr, 0));
}

extern "C" unsigned ok_blocks_arrive(int level, bool waits, Site at) {
    Worker& w = *worker;
    if (level == CLUSTER && w.current && !w.resident) return 0;  // a cluster of one block
    if (!w.current || !w.resident || (level == GRID && !w.launch->config.cooperative)) {
        if (!w.current) return 0;
        Finding("bad-launch", uint64_t(at.line), 98).form("not-cooperative").at(at).other_at(w.launch->site->at).here().add();
        stop_launch(ERROR_LAUNCH_FAILURE);
    }
    thread_stops(w);
    BlockBarrier& m = w.resident->barrier(level, w.member);
    Arrivals& mine = arrivals_of(w);
    mine.times[level][m.phase & 1] = ++w.time;
    mine.arrived[level] = m.phase + 1;
    w.current->at = at;
    m.begun = true;
    m.split |= !waits;
    unsigned phase = m.phase;
    if (!--m.missing) pass(w, level, at);
    return phase;
}

extern "C" void ok_blocks_wait(int level, unsigned phase, Site at) {
    Worker& w = *worker;
    if (!w.resident) {
        ok_barrier(VOTE_NONE, 0, at);
        return;
    }
    ResidentBlock& member = w.resident->members[w.member];
    Arrivals& mine = member.arrivals[w.rank];
    if (w.resident->barrier(level, w.member).phase <= phase) {
        w.current->at = at;
        mine.waits = level;
        member.waiting++;
        warp_of(w, w.rank).runnable &= ~(1u << w.rank % WARP);
        yield();
    }
    mine.met[level] = phase + 1;
}

extern "C" void ok_blocks_wait_last(int level, Site at) {
    Worker& w = *worker;
    unsigned arrived = w.resident ? arrivals_of(w).arrived[level] : 0;
    ok_blocks_wait(level, arrived ? arrived - 1 : 0, at);
}

// Threads that no other will ever join at a barrier of several blocks: who waits where, and what the others do.
void report_stuck(ResidentBlocks& resident) {
    ResidentBlock* first = nullptr;
    Site at(nullptr, 0), other(nullptr, 0);
    long waiting = 0, alive = 0;
    int level = GRID;
    for (ResidentBlock& m : resident.members) {
        alive += m.worker->alive;
        waiting += m.waiting;
        for (int t = 0; t < resident.launch.threads; t++) {
            const Warp& wp = warp_of(*m.worker, t);
            if (!(wp.alive >> t % WARP & 1)) continue;
            if (m.arrivals[t].waits < 0) {
                bool at_barrier = (wp.barrier & ~wp.elsewhere) >> t % WARP & 1;
                if (!other.file) other = at_barrier ? m.worker->barrier_at : m.worker->threads[t].at;
            } else if (!first) {
                first = &m;
                m.worker->rank = t;
                level = m.arrivals[t].waits;
                at = m.worker->threads[t].at;
            }
        }
    }
    if (!first) return;
    long threads = long(resident.size) * resident.launch.threads;
    worker = first->worker;
    Finding("divergent-barrier", uint64_t(at.line), 2)
        .form(level == CLUSTER ? "cluster-elsewhere" : alive == waiting ? "grid-exited" : "grid-elsewhere")
        .at(at).other_at(other).here().number("waiting", waiting).number("threads", threads).number("gone", threads - alive)
        .number("others", alive - waiting).add();
}
}  // namespace __ok

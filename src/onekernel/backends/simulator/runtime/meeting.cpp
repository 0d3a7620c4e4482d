// Barriers of several blocks: who has come, who waits, and what is ordered by them.
#include "coalesce.h"
#include "launch.h"
#include "report.h"
#include "team.h"

namespace __ok {
static Seat& seat_of(Worker& w) { return w.team->members[w.member].seats[w.rank]; }

static Site waiting_at(const Member& m) {
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
static void pass(Worker& w, int level, Site at) {
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

}  // namespace __ok

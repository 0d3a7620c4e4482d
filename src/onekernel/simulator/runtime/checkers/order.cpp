// One clock for each block: barriers and collectives advance it. Between blocks a fence followed by an atomic on an address
// releases what the thread could rely on; an atomic on that address acquires it. What was acquired is released along with
// it, so that an order may pass through any number of blocks.
//
// No vector of clocks is kept: a release says what its own block had done, and which releases it had seen. Whether an access
// is ordered is found by walking back through them.
//
// Tells: nothing: races.cpp asks it
// Tests: test_fences.py, race_*
#include "order.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "../machine/resident_blocks.h"
#include "late_reads.h"

namespace __ok {
namespace {
struct Release {
    uint32_t block, time, barrier_time, full_time;
    uint16_t thread;
    bool device;  // for other blocks too
};

constexpr uint16_t NO_THREAD = 0xffff;  // of a release that stands for all that a block did before its barrier_time

struct Channel;  // an address that atomics touch

// The first `releases` of a channel were seen, by the release with number `at` and all after it.
struct Seen {
    size_t at;
    Channel* channel;
    size_t releases;
};

struct Channel {
    std::vector<Release> releases;
    uint32_t block = 0;                                   // whose releases these are, by their thread and by their warp
    std::vector<std::vector<uint32_t>> of_thread, of_warp;  // indices into `releases`
    std::vector<Seen> seen;
    std::unordered_map<Channel*, size_t> most;  // of each channel in `seen`, the most releases
    size_t walked = 0;                          // how many of its releases the walk under way has looked at
};

// The same by a thread of the running block: of one channel, the oldest first, and each time more of its releases. A loop of
// waits without a barrier of the block makes one of each turn, which a thread that is ordered behind it alone may rely on.
struct Turn {
    size_t releases;
    uint32_t time;
};
struct Acquire {
    Channel* channel;
    uint16_t thread;
    std::vector<Turn> turns;
    size_t most() const { return turns.back().releases; }
};
class Acquires {
public:
    void add(Channel* channel, uint16_t thread, Turn turn) {
        if (of_thread_.size() <= thread) of_thread_.resize(thread + 1);
        of_thread_[thread].push_back(all_.size());
        all_.push_back({channel, thread, {turn}});
    }
    void clear() {
        all_.clear();
        for (auto& of_one : of_thread_) of_one.clear();
    }
    // The first of the thread's that `wanted` takes, or null.
    template <class Wanted>
    Acquire* find(unsigned thread, Wanted wanted) {
        if (thread >= of_thread_.size()) return nullptr;
        for (size_t i : of_thread_[thread])
            if (wanted(all_[i])) return &all_[i];
        return nullptr;
    }
    const std::vector<Acquire>& all() const { return all_; }

private:
    std::vector<Acquire> all_;
    std::vector<std::vector<size_t>> of_thread_;  // indices into `all_`
};

std::unordered_map<uintptr_t, Channel> channels;
std::unordered_set<uint32_t> unfenced;  // blocks of which an atomic has written without a fence before it
std::vector<Acquires> acquires(1);  // of the running blocks: one, or all that are resident

// What atomics order stays so, and the words of a tile are mostly asked for one after the other: the last answers that were yes.
struct Answer {
    uint32_t block, time, of_block;
    uint16_t thread, rank;
};
Answer answers[64];
Answer& answer_for(const Answer& a) { return answers[(a.time * 31 + a.thread * 7 + a.rank + a.block) % 64]; }

bool covers(const Worker& w, const Release& r, const WordAccess& p) {
    if (!r.device && p.block != w.block + 1) return false;
    if (r.thread == p.thread()) return p.time <= r.time;
    return p.time < r.barrier_time || (r.thread / WARP == p.thread() / WARP && p.time < r.full_time);
}

void add_release(Channel& c, const Release& r) {
    if (c.block != r.block) {
        c.block = r.block;
        c.of_thread.clear();
        c.of_warp.clear();
    }
    auto note = [&](std::vector<std::vector<uint32_t>>& lists, size_t which) {
        if (lists.size() <= which) lists.resize(which + 1);
        lists[which].push_back(static_cast<uint32_t>(c.releases.size()));
    };
    note(c.of_thread, r.thread);
    note(c.of_warp, r.thread / WARP);
    c.releases.push_back(r);
}

// The same as `released` for an access of the running block, whose times rise: the last release of its thread, of its warp and
// of the block are those that may cover it.
bool released_here(const Worker& w, const Channel& c, size_t count, const WordAccess& p) {
    auto last_covers = [&](const std::vector<std::vector<uint32_t>>& lists, size_t which) {
        if (which >= lists.size()) return false;
        auto end = std::lower_bound(lists[which].begin(), lists[which].end(), count);
        return end != lists[which].begin() && covers(w, c.releases[*std::prev(end)], p);
    };
    return covers(w, c.releases[count - 1], p) || last_covers(c.of_thread, p.thread()) || last_covers(c.of_warp, p.thread() / WARP);
}

// Does one of the channel's first `count` releases, beyond those walked before, order `p`?
bool released(const Worker& w, const Channel& c, size_t count, const WordAccess& p) {
    if (!w.resident && p.block == w.block + 1 && c.block == p.block && c.releases[count - 1].block == p.block)
        return released_here(w, c, count, p);
    auto r = c.releases.begin() + c.walked, end = c.releases.begin() + count;
    if (w.resident) return std::any_of(r, end, [&](const Release& a) { return a.block == p.block && covers(w, a, p); });
    // Blocks that run one after another release in their order: from the first to the last, or the other way.
    auto earlier = [](uint32_t a, uint32_t b) { return options & TURNED ? a > b : a < b; };
    r = std::lower_bound(r, end, p.block, [&](const Release& a, uint32_t block) { return earlier(a.block, block); });
    auto last = std::upper_bound(r, end, p.block, [&](uint32_t block, const Release& a) { return earlier(block, a.block); });
    return std::any_of(std::make_reverse_iterator(last), std::make_reverse_iterator(r), [&](const Release& a) { return covers(w, a, p); });
}

// How many of the channel's releases thread `rank` may rely on by way of `q`.
size_t acquired(Worker& w, const Acquire& q, unsigned rank) {
    if (q.thread == rank) return q.most();
    auto before = [&](const Turn& t) { return ordered_in_block(w, WordAccess{static_cast<uint32_t>(w.block + 1), t.time, q.thread, 0, 0}, rank); };
    auto end = std::partition_point(q.turns.begin(), q.turns.end(), before);
    return end == q.turns.begin() ? 0 : std::prev(end)->releases;
}

bool ordered_by_atomics(Worker& w, const WordAccess& p, unsigned rank) {
    // What a thread has seen itself is most often enough.
    if (acquires[w.member].find(rank, [&](const Acquire& q) { return released(w, *q.channel, q.most(), p); })) return true;
    struct Step { Channel* channel; size_t releases; };
    std::vector<Step> walk;
    std::vector<Channel*> touched;
    bool found = false;
    auto visit = [&](Channel* c, size_t count) {
        if (found || c->walked >= count) return;
        found = released(w, *c, count, p);
        if (!c->walked) touched.push_back(c);
        c->walked = count;
        walk.push_back({c, count});
    };
    for (const Acquire& q : acquires[w.member].all())
        if (!found) visit(q.channel, acquired(w, q, rank));
    for (size_t i = 0; i < walk.size() && !found; i++)
        for (const Seen& s : walk[i].channel->seen)
            if (s.at < walk[i].releases) visit(s.channel, s.releases);
    for (Channel* c : touched) c->walked = 0;
    return found;
}
}  // namespace

bool ordered_in_block(Worker& w, const WordAccess& p, unsigned rank) {
    if (p.thread() == rank || p.time < w.barrier_time) return true;
    if (p.thread() / WARP != rank / WARP) return false;
    const Warp& wp = warp_of(w, rank);
    if (p.time < wp.full_time) return true;
    return wp.seen && p.time < wp.seen[p.thread() % WARP][rank % WARP];
}

bool ordered(Worker& w, const WordAccess& p, unsigned rank) {
    if (p.block == w.block + 1 && ordered_in_block(w, p, rank)) return true;
    if (w.resident && ordered_by_block_barrier(w, p, rank)) return true;
    if (acquires[w.member].all().empty()) return false;
    const Answer asked{p.block, p.time, static_cast<uint32_t>(w.block + 1), static_cast<uint16_t>(p.thread()), static_cast<uint16_t>(rank)};
    Answer& known = answer_for(asked);
    if (!memcmp(&known, &asked, sizeof known)) return true;
    Busy busy;
    const bool yes = ordered_by_atomics(w, p, rank);
    if (yes) known = asked;
    return yes;
}

void synchronise(Worker& w, uintptr_t address, bool writes) {
    bool release = writes && w.fenced[w.rank], device = w.fenced[w.rank] == FENCED_DEVICE;
    Busy busy;
    const bool of_block = address - reinterpret_cast<uintptr_t>(w.arena) < ARENA_BYTES;  // tells no other block
    if (writes && !device && !of_block) unfenced.insert(static_cast<uint32_t>(w.block));
    if (!release && channels.empty()) return;
    put_late_reads(w);
    Channel& c = channels[address];
    auto& mine = acquires[w.member];
    const uint16_t thread = static_cast<uint16_t>(w.rank);
    // Whoever waits in a loop acquires the same again and again.
    Acquire* again = mine.find(thread, [&](const Acquire& q) { return q.channel == &c; });
    if (!c.releases.empty()) {
        if (!again) mine.add(&c, thread, {c.releases.size(), w.time});
        else if (again->most() != c.releases.size()) again->turns.push_back({c.releases.size(), w.time});
    }
    if (!release) return;
    for (const Acquire& q : mine.all()) {
        if (q.channel == &c) continue;  // what a channel holds, its later releases have seen
        const size_t releases = acquired(w, q, w.rank);
        if (!releases) continue;
        size_t& most = c.most[q.channel];
        if (releases <= most) continue;
        most = releases;
        c.seen.push_back({c.releases.size(), q.channel, releases});
    }
    add_release(c, {static_cast<uint32_t>(w.block + 1), w.time, w.barrier_time, warp_of(w, w.rank).full_time, thread, device});
    if (!w.resident || !device) return;
    // What the other blocks of the cluster did before its last barrier is released along with it.
    int first = w.member / w.resident->cluster_blocks * w.resident->cluster_blocks;
    for (int i = first; i < first + w.resident->cluster_blocks; i++) {
        const ResidentBlock& m = w.resident->members[i];
        if (i != w.member && m.met) c.releases.push_back({static_cast<uint32_t>(m.worker->block + 1), 0, m.met, 0, NO_THREAD, true});
    }
}

// What any block of a cluster has acquired before a barrier of the cluster, all have behind it.
static void order_cluster_barrier_passed(int from, int to) {
    Busy busy;
    std::unordered_map<Channel*, size_t> most;
    for (int i = from; i < to; i++)
        for (const Acquire& q : acquires[i].all()) most[q.channel] = std::max(most[q.channel], q.most());
    for (int i = from; i < to && !most.empty(); i++) {
        acquires[i].clear();
        for (const auto& [channel, count] : most) acquires[i].add(channel, 0, {count, 0});
    }
}

bool ordered_by_block_barrier(Worker& w, const WordAccess& p, unsigned rank) {
    ResidentBlocks& resident = *w.resident;
    int other = resident.member_of(p.block - 1);
    if (other < 0) return false;
    const Arrivals& mine = resident.members[w.member].arrivals[rank];
    const Arrivals& theirs = resident.members[other].arrivals[p.thread()];
    for (int level : {CLUSTER, GRID}) {
        if (!mine.met[level] || &resident.barrier(level, other) != &resident.barrier(level, w.member)) continue;
        if (p.time < theirs.times[level][(mine.met[level] - 1) & 1]) return true;
    }
    return false;
}

extern "C" void ok_fence(int scope, Site) {
    Worker& w = *worker;
    if (w.current) w.fenced[w.rank] = scope > 0 ? FENCED_DEVICE : std::max(w.fenced[w.rank], FENCED_BLOCK);
}

bool signalled_without_fence(uint32_t block) { return unfenced.count(block); }

void start_order() {
    channels.clear();
    memset(answers, 0, sizeof answers);
    unfenced.clear();
    for (auto& of_block : acquires) of_block.clear();
}

void OrderChecker::block_started(Worker& w) {
    Busy busy;
    if (acquires.size() <= size_t(w.member)) acquires.resize(w.member + 1);
    acquires[w.member].clear();
    memset(w.fenced, 0, w.launch->threads * sizeof *w.fenced);
}

// What any thread has acquired, all have now: of each channel the most is enough.
void OrderChecker::barrier_passed(Worker& w) {
    if (!(options & RACES)) return;
    auto& mine = acquires[w.member];
    if (mine.all().empty()) return;
    Busy busy;
    std::unordered_map<Channel*, size_t> most;
    for (const Acquire& q : mine.all()) most[q.channel] = std::max(most[q.channel], q.most());
    mine.clear();
    for (const auto& [channel, count] : most) mine.add(channel, 0, {count, 0});
}

void OrderChecker::blocks_passed(Worker&, int level, int from, int to) {
    if (options & RACES && level != GRID) order_cluster_barrier_passed(from, to);
}

void OrderChecker::warp_reconverged(Worker& w, int warp, unsigned group, bool) {
    Warp& wp = w.warps[warp];
    w.time++;
    if ((group & wp.alive) == wp.alive) {
        wp.full_time = w.time;
    } else if (options & RACES) {
        if (!wp.seen) {
            wp.seen = w.seen[warp];
            memset(wp.seen, 0, sizeof w.seen[warp]);
        }
        for (int x = 0; x < WARP; x++) {
            uint32_t latest = group >> x & 1 ? w.time : 0;
            for (unsigned r = group; r; r &= r - 1) latest = std::max(latest, wp.seen[x][__builtin_ctz(r)]);
            for (unsigned r = group; r; r &= r - 1) wp.seen[x][__builtin_ctz(r)] = latest;
        }
    }
}
}  // namespace __ok

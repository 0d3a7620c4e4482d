// Between two points where lanes meet, what each lane accesses is logged; the logs are joined as a warp would have executed
// them: of the lanes' next accesses those with the lowest program counter go together.
//
// Lanes of a warp mostly make the same accesses in turn. So there is one list of steps a warp: a lane whose next access is
// of the next step's kind adds its address there, and nothing is left to be joined. From the first access that is not, a
// lane keeps a log of its own.
//
// Tells: nothing: requests.cpp counts what is joined here
// Tests: test_counts.py, test_corpus.py
#include "lockstep.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "../checkers/late_reads.h"
#include "../memory/access.h"
#include "../report/findings.h"
#include "counters.h"
#include "doubts.h"
#include "list.h"
#include "traffic.h"
#include "requests.h"
#include "trace.h"

namespace __ok {
namespace {
struct Entry {
    uint64_t address;
    RequestKind kind;
};

struct Log {
    std::vector<Entry> entries;
    size_t next = 0;  // the first that is not joined yet
    size_t put = 0;   // of those before it none is late
};

// What each lane looks at, and only then where it puts its address: apart, so that the former of many steps stay in the cache.
struct Step {
    uint64_t code;   // of its kind; 0: behind the last step, which no access is like
    unsigned lanes, late;  // one bit each
};
struct Addresses {
    uint64_t of[WARP];
};

struct Steps {
    std::vector<Step> list{1};
    std::vector<Addresses> addresses;
    size_t used = 0;
    unsigned diverged = 0;  // lanes that have a log of their own
    void clear() {
        used = 0;
        list[0].code = 0;
    }
};

bool only_atomics = false;

constexpr uint8_t LATE = 128;  // of an entry's flags
constexpr size_t LONGEST_LOG = size_t(1) << 22;
constexpr size_t MOST_STEPS = 4096;  // of a warp: a megabyte
constexpr size_t MOST_LATE = 512;    // of them, where they are logged for late loads alone: what the cache holds
}  // namespace

struct Lockstep {
    Log logs[MAX_THREADS_PER_BLOCK];
    Steps steps[MAX_WARPS];
    uint32_t taken[MAX_THREADS_PER_BLOCK];  // of its warp's steps, the first so many are this lane's too
    unsigned late;                          // warps of which loads are, one bit each
    std::map<std::pair<const char*, int>, uint64_t> barriers;
};

namespace {
// All that was done in them has been told: the warp begins its list anew.
void forget_steps(Lockstep& own, int warp) {
    own.steps[warp].clear();
    std::fill_n(own.taken + warp * WARP, WARP, 0);
}

// The running thread's next step is the one that its warp has there.
inline __attribute__((always_inline)) void take_step(const Worker& w, Steps& s, uint32_t& mine, uintptr_t address, bool late) {
    const unsigned bit = 1u << w.rank % WARP;
    s.addresses[mine].of[w.rank % WARP] = address;
    if (late) s.list[mine].late |= bit;
    s.list[mine++].lanes |= bit;
}

std::vector<Worker*> counting;  // the cores that have ever counted
std::mutex counting_lock;

// One request: `n` lanes that execute an instruction together.
void execute(Worker& w, int warp, const RequestKind& kind, const uint64_t* addresses, const int* lanes, const uint8_t* sizes,
             int n, bool diverged_after) {
    if (only_atomics && !(kind.flags & (ATOMIC | OF_COPY)) && !traced(w)) return;  // a late load
    Shape* shape = n == WARP && !sizes ? &shape_of(*w.counters->requests, kind, addresses) : nullptr;
    Request r{warp, kind, addresses, lanes, sizes, n, diverged_after, shape};
    Checkers::tell([&](auto checker) { checker.request(w, r); });
}

constexpr int EVERY_LANE[WARP] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// The steps alone are what the lanes of `group` did.
void join_lockstep(Worker& w, int warp, unsigned group) {
    Steps& s = w.counters->lockstep->steps[warp];
    bool diverged = s.list[0].lanes != group;  // some have nothing to do here
    for (size_t k = 0; k < s.used; k++) {
        const Step& step = s.list[k];
        const uint64_t* all = s.addresses[k].of;
        unsigned next = k + 1 < s.used ? s.list[k + 1].lanes : 0;
        diverged |= next && next != step.lanes;  // some go on, some have done
        if (step.lanes == ~0u) {
            execute(w, warp, RequestKind::of(step.code), all, EVERY_LANE, nullptr, WARP, diverged);
        } else {
            uint64_t addresses[WARP];
            int lanes[WARP], n = 0;
            for (unsigned rest = step.lanes; rest; rest &= rest - 1) {
                lanes[n] = __builtin_ctz(rest);
                addresses[n] = all[lanes[n]];
                n++;
            }
            execute(w, warp, RequestKind::of(step.code), addresses, lanes, nullptr, n, diverged);
        }
        diverged = false;
    }
}

void join_logs(Worker& w, int warp, unsigned group) {
    uint32_t heads[WARP];
    int lane_of[WARP], lanes = 0;
    Log* log = w.counters->lockstep->logs + warp * WARP;
    for (unsigned rest = group; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (!log[i].entries.empty()) lane_of[lanes++] = i;
    }
    bool diverged = lanes && lanes < __builtin_popcount(group);  // some have nothing to do here
    for (int i = 0; i < lanes; i++) {
        heads[i] = log[lane_of[i]].entries[0].kind.pc;
        diverged |= heads[i] != heads[0];  // lanes that met and went different ways
    }
    while (lanes) {
        uint32_t lowest = heads[0];
        for (int i = 1; i < lanes; i++) lowest = std::min(lowest, heads[i]);
        uint64_t addresses[WARP];
        uint8_t sizes[WARP];
        const RequestKind* kind = nullptr;
        int who[WARP], n = 0, left = 0;
        for (int i = 0; i < lanes; i++) {
            Log& l = log[lane_of[i]];
            bool goes = heads[i] == lowest;
            if (goes) {
                const Entry& e = l.entries[l.next++];
                if (!kind) kind = &e.kind;
                who[n] = lane_of[i];
                addresses[n] = e.address;
                sizes[n++] = e.kind.bytes;
            }
            if (l.next < l.entries.size()) {
                heads[left] = goes ? l.entries[l.next].kind.pc : heads[i];
                lane_of[left++] = lane_of[i];
            }
        }
        // Lanes that went together and part now: a branch that divided them.
        uint32_t next[WARP];
        for (int i = 0; i < n; i++) {
            const Log& l = log[who[i]];
            next[i] = l.next < l.entries.size() ? l.entries[l.next].kind.pc : 0;
        }
        for (int i = 1; i < n; i++) diverged |= next[i] != next[0];
        bool alike = std::all_of(sizes, sizes + n, [&](uint8_t size) { return size == kind->bytes; });
        execute(w, warp, *kind, addresses, who, alike ? nullptr : sizes, n, diverged);
        diverged = false;
        lanes = left;
    }
    for (unsigned rest = group; rest; rest &= rest - 1) {
        Log& l = log[__builtin_ctz(rest)];
        l.entries.clear();
        l.next = l.put = 0;
    }
    w.counters->lockstep->steps[warp].diverged &= ~group;
}

// Turns a warp's steps into logs of its lanes.
void diverge(Lockstep& all, int warp) {
    Steps& s = all.steps[warp];
    std::vector<Entry> own;
    for (int i = 0; i < WARP; i++) {
        uint32_t& mine = all.taken[warp * WARP + i];
        if (!mine) continue;
        auto& entries = all.logs[warp * WARP + i].entries;
        own.swap(entries);
        entries.clear();
        for (size_t k = 0; k < mine; k++) entries.push_back({s.addresses[k].of[i], RequestKind::of(s.list[k].code)});
        entries.insert(entries.end(), own.begin(), own.end());
        s.diverged |= 1u << i;
        own.clear();
        mine = 0;
    }
    s.clear();
}

void join(Worker& w, int warp, unsigned group) {
    Lockstep& own = *w.counters->lockstep;
    Steps& s = own.steps[warp];
    int in_warp = std::min(WARP, w.launch->threads - warp * WARP);
    if (in_warp < WARP) group &= (1u << in_warp) - 1;
    if (!s.used && !(s.diverged & group)) return;
    Busy busy;
    put_late_reads(w);
    note_meeting(*w.counters->doubts, warp);
    if (s.used && !s.diverged && !(s.list[0].lanes & ~group)) {
        join_lockstep(w, warp, group);
        forget_steps(own, warp);
        return;
    }
    diverge(own, warp);
    join_logs(w, warp, group);
}

// A step more, or false: the warp has as many as it may.
bool add_step(Steps& s, const RequestKind& kind) {
    if (s.used == MOST_STEPS) return false;
    if (s.used == s.addresses.size()) {
        Busy busy;
        s.addresses.resize(std::max<size_t>(16, 2 * s.used));
        s.list.resize(s.addresses.size() + 1);
    }
    s.list[s.used++] = {kind.code(), 0, 0};
    s.list[s.used].code = 0;
    return true;
}
}  // namespace

void count_only_atomics(bool only) { only_atomics = only; }
bool counted_by_code() { return only_atomics; }

static void make_counters(Worker& w) {
    if (w.counters) return;
    w.counters = new Counters{new Lockstep{}, make_requests(), make_doubts(), make_moved()};
    std::lock_guard<std::mutex> guard(counting_lock);
    counting.push_back(&w);
}

void start_late_reads(Worker& w) {
    Busy busy;
    make_counters(w);
    Lockstep& own = *w.counters->lockstep;
    for (; own.late; own.late &= own.late - 1) forget_steps(own, __builtin_ctz(own.late));  // of a block that was left
}

static void start_counts(Worker& w, unsigned launch) {
    Busy busy;
    make_counters(w);
    w.counted = launch;
    start_requests(*w.counters->requests);
    start_doubts(*w.counters->doubts);
    start_moved(*w.counters->moved);
    Lockstep& own = *w.counters->lockstep;
    own.barriers.clear();
    for (Log& l : own.logs) {
        l.entries.clear();
        l.next = l.put = 0;
    }
    own.late = 0;
    for (Steps& s : own.steps) {
        s.clear();
        s.diverged = 0;
    }
    std::fill_n(own.taken, MAX_THREADS_PER_BLOCK, 0);
}

void each_counting(const Launch& launch, void (*then)(Worker&)) {
    for (Worker* w : counting)
        if (w->counted == launch.serial) then(*w);
}

void LockstepChecker::launch_started(const Launch& launch) { start_counts(*worker, launch.serial); }

void LockstepChecker::block_started(Worker& w) {
    if (w.counted != w.launch->serial) start_counts(w, w.launch->serial);
}

// What its cores have counted, to the host's own.
void LockstepChecker::launch_counted(const Launch& launch) {
    each_counting(launch, [](Worker& w) {
        Worker& first = *worker;
        if (&w == &first) return;
        add_requests(*first.counters->requests, *w.counters->requests);
        for (const auto& [at, count] : w.counters->lockstep->barriers) first.counters->lockstep->barriers[at] += count;
    });
}

// An access that is not its warp's next step.
[[gnu::noinline]] static void log_apart(Worker& w, uintptr_t address, RequestKind kind, bool late) {
    Lockstep& own = *w.counters->lockstep;
    Steps& s = own.steps[w.rank / WARP];
    unsigned bit = 1u << w.rank % WARP;
    if (!(s.diverged & bit)) {
        uint32_t& mine = own.taken[w.rank];
        if (mine == s.used && add_step(s, kind)) {
            take_step(w, s, mine, address, late);
            return;
        }
        s.diverged |= bit;
    }
    if (late) kind.flags |= LATE;
    Log& l = own.logs[w.rank];
    if (l.entries.size() < l.entries.capacity()) {
        l.entries.push_back({address, kind});
        return;
    }
    Busy busy;
    l.entries.push_back({address, kind});
    if (l.entries.size() > LONGEST_LOG) join(w, static_cast<int>(w.rank / WARP), bit);
}

// Lanes of a warp mostly come by the same steps: the first has made them, the others add their addresses.
inline void log_access(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc, bool shared, bool late) {
    bool atomic = !shared && (flags & (ATOMIC | VOLATILE)) == ATOMIC;
    if (only_atomics && !atomic && !late && !(flags & OF_COPY) && !traced(w)) return;
    RequestKind kind{static_cast<uint32_t>(pc - code_base()), static_cast<uint8_t>(bytes), static_cast<uint8_t>(flags), shared};
    Lockstep& own = *w.counters->lockstep;
    Steps& s = own.steps[w.rank / WARP];
    unsigned bit = 1u << w.rank % WARP;
    uint32_t& mine = own.taken[w.rank];
    if (late) own.late |= 1u << w.rank / WARP;
    if (__builtin_expect(s.list[mine].code != kind.code() || s.diverged & bit, 0)) {
        log_apart(w, address, kind, late);
        return;
    }
    take_step(w, s, mine, address, late);
}

inline bool log_late_read(Worker& w, uintptr_t address, int bytes, uintptr_t pc) {
    if (options & COUNTS) {
        log_access(w, address, bytes, 0, pc, false, true);
        return true;
    }
    const RequestKind kind{static_cast<uint32_t>(pc - code_base()), static_cast<uint8_t>(bytes), 0, false};
    Lockstep& own = *w.counters->lockstep;
    Steps& s = own.steps[w.rank / WARP];
    uint32_t& mine = own.taken[w.rank];
    if (__builtin_expect(s.list[mine].code != kind.code(), 0) && (mine < s.used || s.used == MOST_LATE || !add_step(s, kind))) return false;
    own.late |= 1u << w.rank / WARP;
    take_step(w, s, mine, address, true);
    return true;
}

inline bool log_next_step(Worker& w, uintptr_t address, int bytes, uintptr_t pc) {
    const RequestKind kind{static_cast<uint32_t>(pc - code_base()), static_cast<uint8_t>(bytes), 0, false};
    Lockstep& own = *w.counters->lockstep;
    Steps& s = own.steps[w.rank / WARP];
    uint32_t& mine = own.taken[w.rank];
    if (s.list[mine].code != kind.code() || s.diverged & 1u << w.rank % WARP) return false;
    own.late |= 1u << w.rank / WARP;
    take_step(w, s, mine, address, true);
    return true;
}

bool any_late_reads(const Worker& w) { return w.counters && w.counters->lockstep->late; }

void take_late_reads(Worker& w, void (*put)(Worker& w, int warp, const RequestKind& kind, uint32_t lanes, const uint64_t* addresses)) {
    Lockstep& own = *w.counters->lockstep;
    for (; own.late; own.late &= own.late - 1) {
        const int warp = __builtin_ctz(own.late);
        Steps& s = own.steps[warp];
        for (size_t k = 0; k < s.used; k++) {
            Step& step = s.list[k];
            if (!step.late) continue;
            put(w, warp, RequestKind::of(step.code), step.late, s.addresses[k].of);
            step.late = 0;
        }
        if (!(options & COUNTS)) forget_steps(own, warp);
        for (unsigned rest = s.diverged; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            Log& l = own.logs[warp * WARP + lane];
            for (; l.put < l.entries.size(); l.put++) {
                Entry& e = l.entries[l.put];
                if (!(e.kind.flags & LATE)) continue;
                e.kind.flags &= static_cast<uint8_t>(~LATE);
                uint64_t addresses[WARP];
                addresses[lane] = e.address;
                put(w, warp, e.kind, 1u << lane, addresses);
            }
        }
    }
}

inline __attribute__((always_inline)) bool LockstepChecker::access(Worker& w, Access& a) {
    const bool other_block = a.space == Space::OTHER_BLOCK, shared = a.space == Space::SHARED || other_block;
    if (a.late || (a.space != Space::GLOBAL && !shared)) return true;  // a late one is in the log
    if (a.flags & UNCOUNTED) return true;
    const uintptr_t far = other_block ? (static_cast<size_t>(a.member) + 1) * ARENA_BYTES : 0;
    log_access(w, shared ? a.offset + far : a.address, a.bytes, a.flags, a.pc, shared);
    return true;
}

void LockstepChecker::barrier_complete(Worker& w, Site at) {
    Busy busy;
    w.counters->lockstep->barriers[{at.file, at.line}]++;
    if (traced(w)) trace_barrier(w, at);
}

void LockstepChecker::warp_reconverged(Worker& w, int warp, unsigned group, bool orders) {
    join(w, warp, group);
    if (orders) note_order(*w.counters->doubts, warp);
}

void LockstepChecker::barrier_passed(Worker& w) {
    Busy busy;
    for (int i = 0; i < w.launch->warps; i++) {
        join(w, i, ~0u);
        note_order(*w.counters->doubts, i);
    }
    if (traced(w)) trace_phase(w);
}

void write_counts(Json& out) {
    write_requests(*worker->counters->requests, out);
    out.key("barriers").list([&] {
        for (const auto& [at, count] : worker->counters->lockstep->barriers)
            out.object([&, &at = at, &count = count] {
                out.field("file", std::string_view(at.first)).field("line", at.second).field("count", count);
            });
    });
    if (tracing) write_trace(out);
}
}  // namespace __ok

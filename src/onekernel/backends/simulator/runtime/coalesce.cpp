// Requests, sectors and wavefronts. Between two points where lanes meet, each lane keeps a log; the logs are joined as a
// warp would have executed them: of the lanes' next accesses those with the lowest program counter go together.
#include "coalesce.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "race.h"
#include "report.h"
#include "trace.h"

namespace __ok {
namespace {
struct Entry {
    uint64_t address;
    uint32_t pc;
    uint8_t bytes, flags;
    bool shared;
};

struct Counts {
    uint32_t pc = 0;  // 0: free slot
    bool shared = false, write = false, atomic = false;
    uint64_t requests = 0, sectors = 0, bytes = 0, wavefronts = 0, conflicts = 0, operations = 0, splits = 0;
};

struct Log {
    std::vector<Entry> entries;
    size_t next = 0;
};

constexpr size_t SLOTS = 1 << 14;
constexpr size_t LONGEST_LOG = size_t(1) << 22;
Log logs[MAX_THREADS_PER_BLOCK];
Counts table[SLOTS];
std::map<std::pair<const char*, int>, uint64_t> barriers;

Counts& counts_of(const Entry& e) {
    size_t slot = e.pc * 2654435761u % SLOTS;
    while (table[slot].pc && table[slot].pc != e.pc) slot = (slot + 1) % SLOTS;
    Counts& c = table[slot];
    if (!c.pc) {
        c.pc = e.pc;
        c.shared = e.shared;
        c.write = e.flags & WRITES;
        c.atomic = (e.flags & (ATOMIC | VOLATILE)) == ATOMIC;
    }
    return c;
}

int distinct(uint64_t* values, int count) {
    bool sorted = true;
    for (int i = 1; i < count; i++) sorted &= values[i - 1] <= values[i];
    if (!sorted) std::sort(values, values + count);
    int n = count > 0;
    for (int i = 1; i < count; i++) n += values[i] != values[i - 1];
    return n;
}

// A warp's words are served 32 banks of 4 bytes at a time; 8-byte accesses by half warps, 16-byte ones by quarters.
void count_shared(Counts& c, const Entry* const* entries, const int* lanes, int count, int bytes) {
    int lanes_each = bytes == 16 ? 8 : bytes == 8 ? 16 : 32, words = bytes >= 4 ? bytes / 4 : 1;
    for (int begin = 0, part = 0; part < WARP / lanes_each; part++) {
        uint64_t word[32];
        int n = 0;
        for (; begin < count && lanes[begin] / lanes_each == part; begin++)
            for (int k = 0; k < words; k++) word[n++] = entries[begin]->address / 4 + k;
        if (!n) continue;
        std::sort(word, word + n);
        int in_bank[32] = {}, most = 0;
        for (int i = 0; i < n; i++)
            if (!i || word[i] != word[i - 1]) most = std::max(most, ++in_bank[word[i] % 32]);
        c.wavefronts += most;
        c.conflicts += most - 1;
    }
}

Counts& count_request(const Entry* const* entries, const int* lanes, int count) {
    const Entry& first = *entries[0];
    Counts& c = counts_of(first);
    c.requests++;
    c.operations += count;
    for (int i = 0; i < count; i++) c.bytes += entries[i]->bytes;
    if (first.shared) {
        count_shared(c, entries, lanes, count, first.bytes);
        return c;
    }
    uint64_t sectors[64];
    int n = 0;
    for (int i = 0; i < count; i++) {
        uint64_t from = entries[i]->address / 32, to = (entries[i]->address + entries[i]->bytes - 1) / 32;
        sectors[n++] = from;
        if (to != from) sectors[n++] = to;
    }
    c.sectors += distinct(sectors, n);
    return c;
}

void trace(const Worker& w, int warp, const Entry* const* entries, const int* lanes, int count) {
    const Entry& first = *entries[0];
    TracedRequest r{first.pc, first.bytes, first.shared, bool(first.flags & WRITES), (first.flags & (ATOMIC | VOLATILE)) == ATOMIC, count, {}, {}};
    for (int i = 0; i < count; i++) {
        r.lanes[i] = lanes[i];
        r.addresses[i] = entries[i]->address;
    }
    trace_request(w, warp, r);
}

void join(Worker& w, int warp, unsigned group) {
    Busy busy;
    uint32_t heads[WARP];
    int lane_of[WARP], lanes = 0;
    Log* log = logs + warp * WARP;
    int in_group = std::min(WARP, w.launch->threads - warp * WARP);
    group &= in_group == WARP ? ~0u : (1u << in_group) - 1;
    for (unsigned rest = group; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (!log[i].entries.empty()) lane_of[lanes++] = i;
    }
    bool apart = lanes && lanes < __builtin_popcount(group);  // some have nothing to do here
    for (int i = 0; i < lanes; i++) {
        heads[i] = log[lane_of[i]].entries[0].pc;
        apart |= heads[i] != heads[0];  // lanes that met and went different ways
    }
    while (lanes) {
        uint32_t lowest = heads[0];
        for (int i = 1; i < lanes; i++) lowest = std::min(lowest, heads[i]);
        const Entry* together[WARP];
        int who[WARP], n = 0, left = 0;
        for (int i = 0; i < lanes; i++) {
            Log& l = log[lane_of[i]];
            bool goes = heads[i] == lowest;
            if (goes) {
                who[n] = lane_of[i];
                together[n++] = &l.entries[l.next++];
            }
            if (l.next < l.entries.size()) {
                heads[left] = goes ? l.entries[l.next].pc : heads[i];
                lane_of[left++] = lane_of[i];
            }
        }
        Counts& c = count_request(together, who, n);
        if (traced(w)) trace(w, warp, together, who, n);
        // Lanes that went together and part now: a branch that divided them.
        uint32_t next[WARP];
        for (int i = 0; i < n; i++) {
            const Log& l = log[who[i]];
            next[i] = l.next < l.entries.size() ? l.entries[l.next].pc : 0;
        }
        for (int i = 1; i < n; i++) apart |= next[i] != next[0];
        c.splits += apart;
        apart = false;
        lanes = left;
    }
    for (unsigned rest = group; rest; rest &= rest - 1) {
        Log& l = log[__builtin_ctz(rest)];
        l.entries.clear();
        l.next = 0;
    }
}
}  // namespace

void start_counts() {
    memset(static_cast<void*>(table), 0, sizeof table);
    barriers.clear();
    start_trace();
    for (Log& l : logs) {
        l.entries.clear();
        l.next = 0;
    }
}

void log_access(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc, bool shared) {
    Log& l = logs[w.rank];
    Entry e{address, static_cast<uint32_t>(pc - code_base()), static_cast<uint8_t>(bytes), static_cast<uint8_t>(flags), shared};
    if (__builtin_expect(l.entries.size() < l.entries.capacity(), 1)) {
        l.entries.push_back(e);
        return;
    }
    Busy busy;
    l.entries.push_back(e);
    if (l.entries.size() > LONGEST_LOG) join(w, static_cast<int>(w.rank / WARP), 1u << w.rank % WARP);
}

void log_barrier(Site at) {
    barriers[{at.file, at.line}]++;
    if (traced(*worker)) trace_barrier(*worker, at);
}

void log_warp_met(Worker& w, int warp, unsigned group) { join(w, warp, group); }

void log_block_met(Worker& w) {
    for (int i = 0; i < w.launch->warps; i++) join(w, i, ~0u);
    if (traced(w)) trace_phase(w);
}

std::string counts_json() {
    std::string out = "\"accesses\":[";
    const char* comma = "";
    char text[360];
    for (const Counts& c : table) {
        if (!c.pc) continue;
        snprintf(text, sizeof text,
                 "%s{\"pc\":%u,\"shared\":%d,\"write\":%d,\"atomic\":%d,\"requests\":%llu,\"sectors\":%llu,"
                 "\"bytes\":%llu,\"wavefronts\":%llu,\"conflicts\":%llu,\"operations\":%llu,\"splits\":%llu}",
                 comma, c.pc, c.shared, c.write, c.atomic, (unsigned long long)c.requests, (unsigned long long)c.sectors,
                 (unsigned long long)c.bytes, (unsigned long long)c.wavefronts, (unsigned long long)c.conflicts,
                 (unsigned long long)c.operations, (unsigned long long)c.splits);
        out += text;
        comma = ",";
    }
    out += "],\"barriers\":[";
    comma = "";
    for (const auto& [at, count] : barriers) {
        out += comma + ("{\"file\":" + quoted(at.first)) + ",\"line\":" + std::to_string(at.second) +
               ",\"count\":" + std::to_string(count) + "}";
        comma = ",";
    }
    out += "]";
    return options & TRACE ? out + "," + trace_json() : out;
}
}  // namespace __ok

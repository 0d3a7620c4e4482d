// Tells: nothing: requests, sectors, wavefronts and bank conflicts of each line
// Tests: test_banks.py, test_counts.py, test_vs_ncu.py
#include "requests.h"

#include <cstring>

#include "../memory/access.h"
#include "banks.h"
#include "counters.h"
#include "lockstep.h"
#include "sectors.h"

namespace __ok {
namespace {
struct Counts {
    uint32_t pc = 0;  // 0: free slot
    bool shared = false, write = false, atomic = false, copy = false;
    uint64_t requests = 0, sectors = 0, bytes = 0, wavefronts = 0, conflicts = 0, operations = 0, splits = 0;
    uint64_t doubts[DOUBTS] = {};                     // requests of which a compiler may make that
    uint64_t block = 0, of_block = 0, warps = 0;      // the last block, its warps so far, a bit each; warps of all blocks
    uint64_t distributed = 0, distributed_bytes = 0;  // requests that reach other blocks' shared memory
};
constexpr size_t SLOTS = 1 << 14, SHAPES = 256;
}  // namespace

struct Requests {
    Counts table[SLOTS];
    Shape shapes[SHAPES];
};

namespace {
// The place of what is counted at one place in the code: a copy of memory reads and writes there.
Counts& slot_of(Requests& requests, uint32_t pc, bool shared, bool write) {
    size_t slot = pc * 2654435761u % SLOTS;
    auto other = [&](const Counts& c) { return c.pc != pc || c.shared != shared || c.write != write; };
    while (requests.table[slot].pc && other(requests.table[slot])) slot = (slot + 1) % SLOTS;
    return requests.table[slot];
}

Counts& counts_of(Requests& requests, const RequestKind& kind) {
    Counts& c = slot_of(requests, kind.pc, kind.shared, kind.flags & WRITES);
    if (!c.pc) {
        c.pc = kind.pc;
        c.shared = kind.shared;
        c.write = kind.flags & WRITES;
        c.atomic = (kind.flags & (ATOMIC | VOLATILE)) == ATOMIC;
        c.copy = kind.flags & OF_COPY;
    }
    return c;
}

void count_shared(Counts& c, const uint64_t* addresses, const int* lanes, int count, int bytes) {
    Served served = serve(addresses, lanes, count, bytes, !c.write);
    c.wavefronts += served.wavefronts;
    c.conflicts += served.wavefronts - served.parts;
}

void count_sectors(Counts& c, const uint64_t* addresses, const uint8_t* sizes, int count, int bytes) {
    int n = 0;
    uint64_t last = 0;
    bool ascending = true;
    for (int i = 0; i < count; i++) {
        uint64_t from = first_sector(addresses[i]), to = last_sector(addresses[i], sizes ? sizes[i] : bytes);
        ascending &= from >= last;
        n += from != last;
        n += to != from;
        last = to;
    }
    uint64_t sectors[2 * WARP];
    c.sectors += ascending ? n : sectors_of(addresses, sizes, count, bytes, sectors);
}

// Lanes that reach another block's shared memory: their addresses lie beyond the block's own arena.
int far_lanes(const uint64_t* addresses, int count) {
    int n = 0;
    for (int i = 0; i < count; i++) n += addresses[i] >= ARENA_BYTES;
    return n;
}

// Do the lanes ask for neighbouring elements in turn, or all for the same? Most requests do, and then few divisions tell all.
bool regular(const uint64_t* addresses, int count, uint64_t stride) {
    uint64_t off = 0;
    for (int i = 0; i < count; i++) off |= addresses[i] ^ (addresses[0] + i * stride);
    return !off;
}

void count_moved(Counts& c, const RequestKind& kind, const uint64_t* addresses, const int* lanes, const uint8_t* sizes, int count) {
    bool neighbours = !sizes && regular(addresses, count, kind.bytes);
    if (neighbours || (!sizes && regular(addresses, count, 0))) {
        uint64_t first = addresses[0], last = addresses[count - 1] + kind.bytes - 1;
        if (!kind.shared) {
            c.sectors += first_sector(last) - first_sector(first) + 1;
            return;
        }
        if (kind.bytes == WORD_BYTES && first % WORD_BYTES == 0) {
            c.wavefronts++;
            return;
        }
    }
    if (kind.shared) count_shared(c, addresses, lanes, count, kind.bytes);
    else count_sectors(c, addresses, sizes, count, kind.bytes);
}
}  // namespace

Shape& shape_of(Requests& requests, const RequestKind& kind, const uint64_t* addresses) {
    Shape& s = requests.shapes[(kind.pc + kind.shared) % SHAPES];  // a copy loads and stores in one place
    uint64_t other = s.code ^ kind.code();
    for (int i = 0; i < WARP; i++) other |= s.apart[i] ^ (addresses[i] - addresses[0]);
    if (!other) return s;
    s.code = kind.code();
    s.weighted = 0;
    s.counted = false;
    for (int i = 0; i < WARP; i++) {
        s.apart[i] = addresses[i] - addresses[0];
        s.weighted += s.apart[i] * weight_of(static_cast<uint64_t>(i));
    }
    return s;
}

void count_request(Worker& w, const Request& r) {
    const RequestKind& kind = r.kind;
    Counts& c = counts_of(*w.counters->requests, kind);
    c.requests++;
    c.operations += r.count;
    c.splits += r.diverged_after;
    if (r.sizes) for (int i = 0; i < r.count; i++) c.bytes += r.sizes[i];
    else c.bytes += uint64_t(r.count) * kind.bytes;
    if (kind.shared && r.is_atomic()) return;  // ncu counts them apart from loads and stores
    if (int far = kind.shared && w.resident ? far_lanes(r.addresses, r.count) : 0) {
        c.distributed++;
        c.distributed_bytes += uint64_t(far) * kind.bytes;
        return;
    }
    Shape* shape = r.shape;
    const uint64_t begins = r.addresses[0] % (kind.shared ? WORD_BYTES : SECTOR_BYTES);
    if (shape && shape->counted && shape->begins == begins) {
        (kind.shared ? c.wavefronts : c.sectors) += shape->moved;
        c.conflicts += shape->conflicts;
        return;
    }
    const uint64_t moved = kind.shared ? c.wavefronts : c.sectors, conflicts = c.conflicts;
    count_moved(c, kind, r.addresses, r.lanes, r.sizes, r.count);
    if (!shape) return;
    shape->counted = true;
    shape->begins = begins;
    shape->moved = static_cast<uint32_t>((kind.shared ? c.wavefronts : c.sectors) - moved);
    shape->conflicts = static_cast<uint32_t>(c.conflicts - conflicts);
}

void RequestsChecker::request(Worker& w, Request& r) {
    if (!counted_by_code() || r.is_of_copy() || (!r.kind.shared && r.is_atomic())) count_request(w, r);
}

void note_doubts(Requests& requests, const RequestKind& kind, uint32_t doubts) {
    Counts& c = counts_of(requests, kind);
    for (; doubts; doubts &= doubts - 1) c.doubts[__builtin_ctz(doubts)]++;
}

void note_warp(Requests& requests, const RequestKind& kind, uint64_t block, int warp) {
    Counts& c = counts_of(requests, kind);
    if (c.block != block) {
        c.block = block;
        c.of_block = 0;
    }
    c.warps += !(c.of_block >> warp & 1);
    c.of_block |= uint64_t(1) << warp;
}

Requests* make_requests() { return new Requests; }
void start_requests(Requests& requests) { memset(static_cast<void*>(requests.table), 0, sizeof requests.table); }

void add_requests(Requests& sum, const Requests& more) {
    static constexpr uint64_t Counts::*EACH[] = {
        &Counts::requests, &Counts::sectors, &Counts::bytes, &Counts::wavefronts, &Counts::conflicts, &Counts::operations, &Counts::splits,
        &Counts::distributed, &Counts::distributed_bytes, &Counts::warps};
    for (const Counts& c : more.table) {
        if (!c.pc) continue;
        Counts& to = slot_of(sum, c.pc, c.shared, c.write);
        if (!to.pc) {
            to = c;
            continue;
        }
        for (auto each : EACH) to.*each += c.*each;
        for (int k = 0; k < DOUBTS; k++) to.doubts[k] += c.doubts[k];
    }
}

void write_requests(const Requests& requests, Json& out) {
    out.key("accesses").list([&] {
        for (const Counts& c : requests.table)
            if (c.pc)
                out.object([&] {
                    out.field("pc", c.pc).field("shared", c.shared).field("write", c.write).field("atomic", c.atomic).field("copy", c.copy);
                    out.field("requests", c.requests).field("sectors", c.sectors).field("bytes", c.bytes);
                    out.field("wavefronts", c.wavefronts).field("conflicts", c.conflicts).field("operations", c.operations);
                    out.field("splits", c.splits).field("warps", c.warps);
                    out.numbers("doubts", c.doubts);
                    out.field("distributed", c.distributed).field("distributed_bytes", c.distributed_bytes);
                });
    });
}
}  // namespace __ok

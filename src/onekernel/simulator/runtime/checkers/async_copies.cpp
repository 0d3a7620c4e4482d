// A copy is read when it is asked for, and arrives when its thread waits for it: both as late as CUDA allows, so that a wait
// that is missing gives what was there before. What CUDA promises is told by the batches that a thread closes and waits for.
// A bulk copy, of any size, is nobody's: it arrives when somebody asks the mbarrier that it tells, and who has waited there may touch it.
// Source: CUDA C++ Programming Guide, "Asynchronous Data Copies"; PTX ISA, "cp.async.wait_group", "cp.async.bulk".
//
// Tells: missing-wait
// Tests: async_*, ptx_copy_*, tma_*
#include "async_copies.h"

#include <sys/mman.h>

#include <algorithm>
#include <bitset>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "../report/findings.h"
#include "order.h"
#include "races.h"

namespace __ok {
namespace {
struct Copier;
struct Copy {
    uint8_t data[16];
    Copier* copier;
    uint32_t offset, batch, time;
    uint16_t thread, bytes;
    bool again;    // what it fills an earlier copy has brought, and that was waited for
    bool is_bulk;
    Site at;
};
struct Wait {
    uint32_t batch, time;  // this batch and all before it, done at Worker::time
    uint32_t landing;      // if an mbarrier was told: number of the Landing, from 1
};
// Copies that have come to an mbarrier in one of its phases, and who has waited there for the end of that phase.
struct Pass {
    uint16_t thread;
    uint32_t time;
};
struct Landing {
    uint32_t phase;
    std::vector<Pass> passes;
    std::bitset<MAX_THREADS_PER_BLOCK> passed;
};
struct Copier {  // a thread; or an mbarrier, by which bulk copies come
    uint32_t closed = 0;                // batches, counted from 1
    uint32_t handed = 0;                // the last one that an mbarrier will be told of
    std::vector<Wait> waits;
    std::vector<uint32_t> under_way;    // indices into AsyncCopies::copies, the oldest first
    size_t arrived = 0;                 // so many of them
};
}  // namespace

struct AsyncCopies {
    std::vector<Copy> copies;
    Copier copiers[MAX_THREADS_PER_BLOCK];
    std::unordered_map<uint32_t, Copier> bulk;  // of an mbarrier, by its offset in the arena
    size_t awaited = 0;             // copies that have not arrived
    bool used = false;              // by the running block
    uint32_t* copy_of = nullptr;    // by word of the arena: index into `copies` + 1, or 0; where order is checked
    std::vector<Landing> landings;  // where order is checked
    std::unordered_map<uintptr_t, std::vector<uint32_t>> landings_of;  // of an mbarrier, the oldest first
};

namespace {
bool were_made = false;

AsyncCopies& copies_of(Worker& w) {
    were_made = true;
    if (w.copies) {
        w.copies->used = true;
        return *w.copies;
    }
    w.copies = new AsyncCopies;
    w.copies->used = true;
    w.copies->copy_of = static_cast<uint32_t*>(mmap(nullptr, ARENA_BYTES / 4 * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    return *w.copies;
}

// How the thread that asked for `c` waited for it, or null.
const Wait* wait_for(const Copy& c) {
    const auto& waits = c.copier->waits;
    auto found = std::lower_bound(waits.begin(), waits.end(), c.batch, [](const Wait& w, uint32_t batch) { return w.batch < batch; });
    return found == waits.end() ? nullptr : &*found;
}

// Does `c` replace what an earlier copy has brought, with no barrier between its start and what the running thread does now?
// Whether the old content is meant or the new one then nobody knows.
bool overwrites(Worker& w, const Copy& c) {
    return c.again && c.time >= w.barrier_time && !(c.thread / WARP == w.rank / WARP && c.time < warp_of(w, w.rank).full_time);
}

// Has the running thread waited where the copies came, or is it ordered behind one that has?
bool has_passed(Worker& w, Landing& landing) {
    if (landing.passed[w.rank]) return true;
    auto since = [&](const Pass& p) { return ordered(w, {static_cast<uint32_t>(w.block + 1), p.time, p.thread, 15, WRITES}, w.rank); };
    return landing.passed[w.rank] = std::any_of(landing.passes.begin(), landing.passes.end(), since);
}

// What is wrong with the running thread's access to what `c` brings, or null.
const char* fault_of(Worker& w, const Copy& c) {
    const Wait* wait = wait_for(c);
    if (c.is_bulk) return wait && (!wait->landing || has_passed(w, w.copies->landings[wait->landing - 1])) ? nullptr : "bulk";
    const Copier& copier = *c.copier;
    if (!wait && c.batch <= copier.handed) return "object";
    if (c.thread == w.rank) return wait ? nullptr : c.batch > copier.closed ? "open" : "own";
    if (!wait) return "other";
    auto ordered_since = [&](uint32_t time) {
        return ordered_in_block(w, {static_cast<uint32_t>(w.block + 1), time, c.thread, 15, WRITES}, w.rank);
    };
    // No barrier at all is a race like any other.
    if (!ordered_since(c.time)) return nullptr;
    if (!wait->landing) return ordered_since(wait->time) ? nullptr : "barrier";
    return has_passed(w, w.copies->landings[wait->landing - 1]) ? nullptr : "object";
}

// What the bytes from `offset` will be when the copies under way have arrived.
void overlay(const AsyncCopies& all, const char* arena, uint32_t offset, uint32_t bytes, uint8_t* out) {
    memcpy(out, arena + offset, bytes);
    for (uint32_t at = offset; at < offset + bytes; at++) {
        uint32_t known = all.copy_of[at / 4];
        if (!known) continue;
        const Copy& c = all.copies[known - 1];
        const Copier& copier = *c.copier;
        bool pending = copier.arrived < copier.under_way.size() && copier.under_way[copier.arrived] <= known - 1;
        if (pending && at - c.offset < c.bytes) out[at - offset] = c.data[at - c.offset];
    }
}

// Two copies to one place that bring different bytes are a race, as two stores are: races.cpp compares what memory holds. `owner`: whose
// arena it is, the running block's or that of another one of its cluster.
bool judge(Worker& w, Worker& owner, AsyncCopies& all, uint32_t offset, const void* data, uint32_t bytes, bool counted, uintptr_t pc) {
    if (!(options & RACES)) return asynchronous_write(w, owner, offset, static_cast<int>(bytes), counted, pc);
    uint8_t now[16], later[16];
    char* const at = owner.arena + offset;
    memcpy(now, at, bytes);
    overlay(all, owner.arena, offset, bytes, later);
    settle(w);
    memcpy(at, later, bytes);
    bool may = asynchronous_write(w, owner, offset, static_cast<int>(bytes), counted, pc);
    memcpy(at, data, bytes);
    settle(w);
    memcpy(at, now, bytes);
    return may;
}

// Puts down a copy of the running thread's that `copier` brings, unless it may not be made.
bool start(Worker& w, Worker& owner, Copier* copier, uint32_t from, const void* data, uint32_t size, Site at, uintptr_t pc) {
    AsyncCopies& all = copies_of(owner);
    const uint32_t before = options & RACES ? all.copy_of[from / 4] : 0;
    const bool again = before && wait_for(all.copies[before - 1]), is_bulk = copier;
    if (!judge(w, owner, all, from, data, size, !is_bulk, pc)) return false;  // which ends the hold of the copy before
    if (!is_bulk) copier = &all.copiers[w.rank];
    all.copies.push_back({{}, copier, from, copier->closed + 1, w.time, uint16_t(w.rank), uint16_t(size), again, is_bulk, at});
    memcpy(all.copies.back().data, data, size);
    copier->under_way.push_back(static_cast<uint32_t>(all.copies.size() - 1));
    all.awaited++;
    if (!(options & RACES)) return true;
    for (uint32_t word = from / 4; word * 4 < from + size; word++) all.copy_of[word] = uint32_t(all.copies.size());
    owner.copies_under_way = true;
    return true;
}

void arrive(Worker& w, Copier& copier, uint32_t batch) {
    AsyncCopies& all = *w.copies;
    while (copier.arrived < copier.under_way.size()) {
        const Copy& c = all.copies[copier.under_way[copier.arrived]];
        if (c.batch > batch) return;
        memcpy(w.arena + c.offset, c.data, c.bytes);
        copier.arrived++;
        all.awaited--;
    }
    copier.under_way.clear();
    copier.arrived = 0;
    if (!all.awaited && !(options & RACES)) all.copies.clear();
}
}  // namespace

void AsyncCopiesChecker::block_started(Worker& w) {
    if (!w.copies) return;
    AsyncCopies& all = *w.copies;
    if (!all.used) return;
    w.copies_under_way = all.used = false;
    for (const Copy& c : all.copies)
        for (uint32_t word = c.offset / 4; word * 4 < c.offset + c.bytes; word++) all.copy_of[word] = 0;
    all.copies.clear();
    all.bulk.clear();
    all.landings.clear();
    all.landings_of.clear();
    all.awaited = 0;
    for (int i = 0; i < MAX_THREADS_PER_BLOCK; i++) {
        all.copiers[i].closed = all.copiers[i].handed = 0;
        all.copiers[i].arrived = 0;
        all.copiers[i].waits.clear();
        all.copiers[i].under_way.clear();
    }
}

bool copies_were_made() { return were_made; }

void release_copies(Worker& w) {
    if (w.copies) munmap(w.copies->copy_of, ARENA_BYTES / 4 * sizeof(uint32_t));
    delete w.copies;
}

bool meets_copy(Worker& w, const SharedArray* array, uint32_t offset, int bytes, bool writes, uintptr_t pc) {
    AsyncCopies& all = *w.copies;
    for (uint32_t word = offset / 4; word * 4 < offset + bytes; word++) {
        if (!all.copy_of[word]) continue;
        const Copy& c = all.copies[all.copy_of[word] - 1];
        const char* form = fault_of(w, c);
        if (!form) {
            if (writes) all.copy_of[word] = 0;
            continue;
        }
        if ((!strcmp(form, "own") || !strcmp(form, "other")) && overwrites(w, c)) form = "overwritten";
        if (c.is_bulk && writes) form = "bulk-again";
        Finding("missing-wait", array->offset).form(form).code_at(pc).other_at(c.at).here().thread("other_thread", c.thread)
            .array("variable", array->name).number("index", (offset - array->offset) / array->item).add();
        return true;
    }
    return false;
}

void copies_arrive(Worker& w, unsigned thread, uint32_t batch, uint32_t landing) {
    if (!w.copies) return;
    Copier& c = w.copies->copiers[thread];
    if (batch > (c.waits.empty() ? 0 : c.waits.back().batch)) c.waits.push_back({batch, w.time, landing});
    arrive(w, c, batch);
}

void copies_handed(Worker& w) {
    if (w.copies) w.copies->copiers[w.rank].handed = w.copies->copiers[w.rank].closed;
}

uint32_t copies_land(Worker& w, uintptr_t object, uint32_t phase) {
    if (!w.copies || !(options & RACES)) return 0;
    w.copies->landings.push_back({phase, {}, {}});
    uint32_t number = static_cast<uint32_t>(w.copies->landings.size());
    w.copies->landings_of[object].push_back(number);
    return number;
}

void copies_seen(Worker& w, uintptr_t object, uint32_t phase) {
    if (!w.copies || w.copies->landings.empty()) return;
    auto found = w.copies->landings_of.find(object);
    if (found == w.copies->landings_of.end()) return;
    for (auto number = found->second.rbegin(); number != found->second.rend(); ++number) {
        Landing& landing = w.copies->landings[*number - 1];
        if (landing.phase >= phase) continue;  // it has not ended
        if (landing.passed[w.rank]) return;
        landing.passed[w.rank] = true;
        landing.passes.push_back({static_cast<uint16_t>(w.rank), w.time});
    }
}

uint32_t copies_closed(const Worker& w) { return w.copies ? w.copies->copiers[w.rank].closed : 0; }

extern "C" void ok_copy_started(void* to, const void* data, size_t bytes, Site at) {
    Worker& w = *worker;
    if (!w.current) return;
    uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    uintptr_t offset = reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(w.arena);
    if (offset >= ARENA_BYTES) {  // no shared memory: a store like any other
        asynchronous_write(w, reinterpret_cast<uintptr_t>(to), static_cast<int>(bytes), pc);
        memcpy(to, data, bytes);
        return;
    }
    Busy busy;
    start(w, w, nullptr, static_cast<uint32_t>(offset), data, static_cast<uint32_t>(bytes), at, pc);
}

bool bulk_copy_started(Worker& w, Worker& owner, uint32_t object, uint32_t to, const void* data, Site at, uintptr_t pc) {
    return start(w, owner, &copies_of(owner).bulk[object], to, data, 16, at, pc);
}

bool bulk_copies_arrive(Worker& w, uint32_t object, uint32_t landing) {
    if (!w.copies) return false;
    auto found = w.copies->bulk.find(object);
    if (found == w.copies->bulk.end() || found->second.under_way.empty()) return false;
    Copier& c = found->second;
    c.waits.push_back({++c.closed, w.time, landing});
    arrive(w, c, c.closed);
    return true;
}

extern "C" void ok_copies_closed() {
    Worker& w = *worker;
    if (w.current && w.copies) w.copies->copiers[w.rank].closed++;
}

extern "C" void ok_copies_waited(unsigned still_allowed) {
    Worker& w = *worker;
    if (!w.current || !w.copies) return;
    Busy busy;
    uint32_t closed = copies_closed(w);
    copies_arrive(w, w.rank, closed > still_allowed ? closed - still_allowed : 0);
}
}  // namespace __ok

// Copies run when they are asked for; what CUDA promises is told by the batches that a thread closes and waits for.
// Source: CUDA C++ Programming Guide, "Asynchronous Data Copies"; PTX ISA, "cp.async.wait_group".
#include "async.h"

#include <sys/mman.h>

#include <vector>

#include "../report/findings.h"
#include "happens_before.h"
#include "race.h"

namespace __ok {
bool copies_under_way = false;

namespace {
struct Copy {
    uint32_t offset, bytes, batch, time;
    uint16_t thread;
    Site at;
};
struct Wait {
    uint32_t batch, time;  // this batch and all before it, done at Worker::time
};
struct Copier {
    uint32_t closed = 0;  // batches, counted from 1
    std::vector<Wait> waits;
};
std::vector<Copy> copies;              // of the running block
Copier copiers[MAX_THREADS_PER_BLOCK];
uint32_t* copy_of = nullptr;           // by word of the arena: index into `copies` + 1, or 0
uint64_t of_block = ~uint64_t(0);
unsigned of_launch = 0;

void forget_other_block(const Worker& w) {
    if (of_block == w.block && of_launch == w.launch->serial) return;
    for (const Copy& c : copies)
        for (uint32_t word = c.offset / 4; word * 4 < c.offset + c.bytes; word++) copy_of[word] = 0;
    copies.clear();
    for (Copier& c : copiers) {
        c.closed = 0;
        c.waits.clear();
    }
    of_block = w.block;
    of_launch = w.launch->serial;
    copies_under_way = false;
}

// How the thread that asked for `c` waited for it, or null.
const Wait* wait_for(const Copy& c) {
    for (const Wait& wait : copiers[c.thread].waits)
        if (wait.batch >= c.batch) return &wait;
    return nullptr;
}

// What is wrong with the running thread's access to what `c` brings, or null.
const char* fault_of(Worker& w, const Copy& c) {
    const Wait* wait = wait_for(c);
    if (c.thread == w.rank) return wait ? nullptr : c.batch > copiers[c.thread].closed ? "open" : "own";
    if (!wait) return "other";
    auto ordered_since = [&](uint32_t time) {
        return ordered_in_block(w, {static_cast<uint32_t>(w.block + 1), time, 0, c.thread, 15, WRITES}, w.rank);
    };
    // No barrier at all is a race like any other.
    return !ordered_since(c.time) || ordered_since(wait->time) ? nullptr : "barrier";
}
}  // namespace

bool meets_copy(Worker& w, const SharedArray* array, uint32_t offset, int bytes, bool writes, uintptr_t pc) {
    forget_other_block(w);
    for (uint32_t word = offset / 4; word * 4 < offset + bytes; word++) {
        if (copies.empty() || !copy_of[word]) continue;
        const Copy& c = copies[copy_of[word] - 1];
        const char* form = fault_of(w, c);
        if (!form) {
            if (writes) copy_of[word] = 0;
            continue;
        }
        Finding("missing-wait", array->offset).form(form).code_at(pc).other_at(c.at).here().thread("other_thread", c.thread)
            .array("variable", array->name).number("index", (offset - array->offset) / array->item).add();
        return true;
    }
    return false;
}

extern "C" void ok_copy_started(const void* to, size_t bytes, Site at) {
    Worker& w = *worker;
    if (!w.current || !(options & RACES)) return;
    uintptr_t offset = reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(w.arena);
    if (offset >= ARENA_BYTES || !bytes) return;
    Busy busy;
    forget_other_block(w);
    if (!copy_of)
        copy_of = static_cast<uint32_t*>(mmap(nullptr, ARENA_BYTES / 4 * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    copies.push_back({uint32_t(offset), uint32_t(bytes), copiers[w.rank].closed + 1, w.time, uint16_t(w.rank), at});
    for (uintptr_t word = offset / 4; word * 4 < offset + bytes; word++) copy_of[word] = uint32_t(copies.size());
    copies_under_way = true;
}

extern "C" void ok_copies_closed() {
    Worker& w = *worker;
    if (!w.current || !(options & RACES)) return;
    forget_other_block(w);
    copiers[w.rank].closed++;
}

extern "C" void ok_copies_waited(unsigned still_allowed) {
    Worker& w = *worker;
    if (!w.current || !(options & RACES)) return;
    Busy busy;
    forget_other_block(w);
    Copier& c = copiers[w.rank];
    uint32_t batch = c.closed > still_allowed ? c.closed - still_allowed : 0;
    if (batch > (c.waits.empty() ? 0 : c.waits.back().batch)) c.waits.push_back({batch, w.time});
}
}  // namespace __ok

#include "sparse.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "../machine/state.h"

#ifndef MREMAP_MAYMOVE
#define MREMAP_MAYMOVE 1
#define MREMAP_FIXED 2
#endif

namespace __ok {
static uint64_t visits, by_thread, most_by_thread;  // accesses of this launch, and of the thread that runs
static uint64_t accesses;                // of this launch, those to shared memory with them
static uint64_t thread_running;
static bool copied;                      // in this call
static bool works_in_output;             // this launch: what a block leaves half way is no result
static std::unordered_set<uintptr_t> touched_pages;  // that this launch has touched
static uintptr_t last_page;

// Maps one stretch of shared pages again and again: an old size of 0 asks mremap for a second view (mremap(2)). The stretch is
// some patterns long, because the system counts views and each takes its time. What lies between rows that are further apart
// than a stretch has zeros, as an output has.
static bool repeat(const void* pattern, size_t period, char* base, size_t span, RowsOf rows) {
    constexpr size_t STRETCH = 4 << 20;
    const size_t stretch = std::min((STRETCH + period - 1) / period, (span + period - 1) / period) * period;
    char* once = static_cast<char*>(mmap(nullptr, stretch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (once == MAP_FAILED) return false;
    for (size_t at = 0; at < stretch; at += period) memcpy(once + at, pattern, period);
    mprotect(once, stretch, PROT_NONE);
    bool good = true;
    const size_t apart = rows.apart > 2 * stretch ? rows.apart : span;
    if (apart < span) good = mmap(base, span, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
    for (size_t row = 0; row < span && good; row += apart) {
        const size_t end = apart < span ? std::min(span, row + rows.bytes) : span;
        for (size_t at = row / stretch * stretch; at < end && good; at += stretch) {
            const size_t length = std::min(stretch, span - at);
            good = mremap(once, 0, length, MREMAP_MAYMOVE | MREMAP_FIXED, base + at) != MAP_FAILED;
        }
    }
    munmap(once, stretch);
    return good;
}

int sparse_alloc(const char* name, const void* pattern, size_t period, size_t span, int item, bool writable, RowsOf rows) {
    Allocation* a = nullptr;
    copied = false;
    if (device_alloc(span, 0, span, name, &a)) return 0;
    char* base = reinterpret_cast<char*>(a->base);
    size_t pages = (span + 4095) / 4096 * 4096;
    int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    bool good = period ? repeat(pattern, period, base, pages, rows) : mmap(base, pages, PROT_NONE, flags, -1, 0) != MAP_FAILED;
    a->item = item;
    a->initialised = !writable;
    a->sparse = new Sparse;
    a->sparse->row = rows.bytes < span ? rows.bytes / item : 0;
    return good ? static_cast<int>(a - allocations) : 0;
}

bool make_sparse(Allocation& a) {
    size_t pages = (a.end - a.base + 4095) / 4096 * 4096;
    void* at = mmap(reinterpret_cast<void*>(a.base), pages, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (at == MAP_FAILED) return false;
    a.sparse = new Sparse;
    a.sparse->tensor = false;
    return true;
}

void make_dense(Allocation& a) {
    delete a.sparse;
    a.sparse = nullptr;
    mmap(reinterpret_cast<void*>(a.base), (a.end - a.base + 4095) / 4096 * 4096, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void sparse_launch(Launch& launch) {
    uint64_t elements = 0, row = 0;
    for (int i = 1; i < allocation_count; i++)
        if (Sparse* s = allocations[i].live ? allocations[i].sparse : nullptr) {
            s->loaded = s->stored = s->bytes_read = s->bytes_written = 0;
            s->read.clear();
            if (!allocations[i].initialised) s->before.insert(s->written.begin(), s->written.end());
            s->written.clear();
            elements = std::max(elements, (allocations[i].high - allocations[i].low) / allocations[i].item);
            row = std::max(row, s->row);
        }
    launch.talks = copied;
    works_in_output = false;
    visits = by_thread = accesses = 0;
    touched_pages.clear();
    last_page = 0;
    thread_running = ~uint64_t(0);
    // A thread may have a thousand times its even share: most threads of a block may have no column. And for each element it
    // may walk along a row several times. Beyond it goes round.
    const uint64_t share = elements / std::max<uint64_t>(1, launch.blocks * launch.threads);
    most_by_thread = 1024 * (share + 128) + 8 * (share + 1) * row;
}

void sparse_copied() { copied = true; }

uint64_t sampled_block(const Launch& launch, uint64_t turn) {
    if (launch.blocks <= SAMPLED_BLOCKS) return turn;
    if (turn == 0) return 0;
    if (turn == 1) return launch.blocks - 1;
    // One of each of as many stretches of the grid, which differ in length by a block: none is left out at its end.
    uint64_t width = launch.blocks / SAMPLED_BLOCKS, rest = launch.blocks % SAMPLED_BLOCKS;
    uint64_t mixed = (turn + 1) * 0x9E3779B97F4A7C15u;
    return (turn - 1) * width + (turn - 1) * rest / SAMPLED_BLOCKS + (mixed >> 17) % width;
}

bool is_left_half_way(const Launch& launch) { return launch.exhausted && works_in_output; }

void sparse_block_ended(Launch& launch) {
    if (launch.exhausted || launch.aborted) return;
    launch.ran++;
    for (int i = 1; i < allocation_count; i++) {
        Allocation& a = allocations[i];
        if (!a.live || !a.sparse) continue;
        a.sparse->loaded = a.sparse->bytes_read;
        a.sparse->stored = a.sparse->bytes_written;
    }
    if (launch.blocks <= SAMPLED_BLOCKS || launch.ran < ENOUGH_BLOCKS || (visits <= ENOUGH_VISITS && accesses <= ENOUGH_ACCESSES)) return;
    launch.exhausted = true;
    launch.next = launch.blocks;
}

static bool joins(const std::vector<uint64_t>& runs, uint64_t start) {
    return runs.size() >= 2 && runs[runs.size() - 2] + runs.back() == start;
}

void count_access() { accesses++; }

void note_sparse(Worker& w, Allocation& a, uintptr_t address, int bytes, bool writes) {
    Launch& launch = *w.launch;
    uint64_t thread = w.block * MAX_THREADS_PER_BLOCK + w.rank;
    by_thread = thread == thread_running ? by_thread + 1 : 1;
    thread_running = thread;
    Sparse* s = a.sparse;
    if (s && s->tensor && address / 4096 != last_page) {
        Busy busy;
        touched_pages.insert(last_page = address / 4096);
    }
    if (by_thread > most_by_thread) launch.goes_round = true;
    if (++visits > MOST_VISITS || touched_pages.size() > MOST_PAGES || launch.goes_round) {
        launch.exhausted = true;
        launch.next = launch.blocks;
        abandon_block();  // before the access is made: it must not be noted as one that was
    }
    if (!s || !s->tensor) launch.talks = true;
    else {
        Busy busy;
        const uint64_t start = address - a.low;
        // In the output stands what another block was to leave, in this launch or an earlier one, or it is a place to work in.
        if (!writes && !a.initialised) (s->written.count(start) || s->before.count(start) ? works_in_output : launch.talks) = true;
        const uint64_t bin = start / ((a.high - a.low) / 64 + 1);
        (writes ? s->bins_written : s->bins_read) |= uint64_t(1) << bin;
        if ((writes ? s->written : s->read).insert(start).second) (writes ? s->bytes_written : s->bytes_read) += bytes;
        if (writes && joins(s->runs, start)) s->runs.back() += bytes;
        else if (writes && s->runs.size() < 2 * MOST_RUNS) s->runs.insert(s->runs.end(), {start, uint64_t(bytes)});
    }
    (writes ? a.stored : a.loaded) += bytes;
}
}  // namespace __ok

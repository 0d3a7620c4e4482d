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
static uint64_t drawn;                   // for the call
static std::vector<uint64_t> order;      // the blocks that run, one after the other
static uint64_t mixed;                   // what comes of `drawn` in this launch
static uint64_t begun, quota, page_quota;  // the accesses before the running block, and how many it may have; of pages alike
static size_t pages_begun;
static uint64_t most_visits;             // of a block that came to its end; and pages
static size_t most_pages;
static uint64_t done, done_begun;        // places of this launch that are new and further it; those before the block
static uint64_t gathered;                // elements that the running block was the first to read, HELD at most of each thread
static uint16_t gathered_by[MAX_THREADS_PER_BLOCK];
static bool fills;                       // what it writes furthers it; else what it reads, for an answer of a few numbers
static uint64_t places;                  // of the call
static uint64_t longest_row;
static bool left;                        // the running block was abandoned
static Sparse* stored;                   // where the last access was a store, which may not have been made when time is over
static uint64_t stored_bytes;
static std::unordered_set<uintptr_t> elsewhere;  // places of this launch that are in no tensor
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

int sparse_alloc(const char* name, const void* pattern, size_t period, size_t span, int item, bool writable, RowsOf rows, uint64_t draw) {
    Allocation* a = nullptr;
    copied = false;
    drawn = draw;
    places = 0;
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

static uint64_t next_mixed() {  // splitmix64
    uint64_t z = mixed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void shuffle(size_t from) {
    for (size_t i = order.size(); i > from + 1; i--) std::swap(order[i - 1], order[from + next_mixed() % (i - from)]);
}

// The first block, the last one, and one of each stretch between, which differ in length by a block: none is left out at its end.
static void draw_blocks(uint64_t blocks) {
    order.clear();
    mixed = drawn ^ blocks * 0x2545F4914F6CDD1Du;
    if (blocks <= SAMPLED_BLOCKS) {
        for (uint64_t block = 0; block < blocks; block++) order.push_back(block);
        return;
    }
    const uint64_t width = blocks / SAMPLED_BLOCKS, rest = blocks % SAMPLED_BLOCKS;
    order = {0, blocks - 1};
    for (uint64_t n = 1; n < SAMPLED_BLOCKS - 1; n++) order.push_back(n * width + n * rest / SAMPLED_BLOCKS + next_mixed() % width);
    shuffle(2);
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
    works_in_output = left = false;
    stored = nullptr;
    visits = by_thread = accesses = done = most_visits = most_pages = 0;
    touched_pages.clear();
    elsewhere.clear();
    last_page = 0;
    thread_running = ~uint64_t(0);
    longest_row = row;
    fills = false;
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        if (a.live && a.sparse && a.sparse->tensor && !a.initialised) fills |= a.high - a.low > LARGEST_SUM;
    }
    draw_blocks(launch.blocks);
    sparse_block_begins();
    // A thread may have a thousand times its even share: most threads of a block may have no column. And for each element it
    // may walk along a row several times. Beyond it goes round.
    const uint64_t share = elements / std::max<uint64_t>(1, launch.blocks * launch.threads);
    most_by_thread = 1024 * (share + 128) + 8 * (share + 1) * row;
}

uint64_t new_places() { return places; }
uint64_t sampled_blocks() { return order.size(); }
uint64_t sampled_block(uint64_t turn) { return order[turn]; }

void sparse_block_begins() {
    begun = visits;
    pages_begun = touched_pages.size();
    quota = (MOST_VISITS - std::min(visits, MOST_VISITS)) / 2;
    page_quota = (MOST_PAGES - std::min(pages_begun, MOST_PAGES)) / 2;
    done_begun = done;
    gathered = 0;
    std::fill(std::begin(gathered_by), std::end(gathered_by), uint16_t(0));
    for (int i = 1; i < allocation_count; i++)
        if (Sparse* s = allocations[i].live ? allocations[i].sparse : nullptr) {
            s->read_before = s->read_by_others = s->bytes_read;
            s->written_before = s->written_by_others = s->bytes_written;
        }
}

// Whether the block, at its end or where it is abandoned, goes on without touching what is new. It may wait for another one, if
// words are left in memory: then those that came to their end say what the launch does.
static void look_for_work(Launch& launch) {
    const uint64_t in_rows = longest_row ? READ_AGAIN * (longest_row + launch.threads) : 0;
    const uint64_t worked = (done - done_begun + launch.warps) * (WORK + in_rows) + gathered;
    if (visits - begun <= std::max(worked, LEAST_VISITS)) return;
    if (!(launch.talks && launch.ran + launch.left)) launch.stands = true;
}

// Of threads that run one after the other, those that have ended tell the share of the whole block.
static void tell_share(const Worker& w, Launch& launch) {
    const uint64_t ended = launch.threads - w.alive;
    launch.left++;
    if (!ended || w.arrived || w.resident) {
        launch.heavier += visits - begun > most_visits || touched_pages.size() - pages_begun > most_pages;
        return;
    }
    launch.told++;
    for (int i = 1; i < allocation_count; i++)
        if (Sparse* s = allocations[i].live ? allocations[i].sparse : nullptr) {
            s->loaded += (s->read_by_others - s->read_before) * launch.threads / ended;
            s->stored += (s->written_by_others - s->written_before) * launch.threads / ended;
        }
}

void sparse_copied() { copied = true; }

bool is_left_half_way(const Launch& launch) { return launch.exhausted && works_in_output; }

void sparse_block_ended(Launch& launch) {
    if (launch.exhausted || launch.aborted) return;
    if (left) {
        left = false;
        return;
    }
    look_for_work(launch);
    most_visits = std::max(most_visits, visits - begun);
    most_pages = std::max(most_pages, touched_pages.size() - pages_begun);
    launch.ran++;
    for (int i = 1; i < allocation_count; i++) {
        Allocation& a = allocations[i];
        if (!a.live || !a.sparse) continue;
        a.sparse->loaded += a.sparse->bytes_read - a.sparse->read_before;
        a.sparse->stored += a.sparse->bytes_written - a.sparse->written_before;
    }
    if (launch.blocks <= SAMPLED_BLOCKS || launch.ran < ENOUGH_BLOCKS || (visits <= ENOUGH_VISITS && accesses <= ENOUGH_ACCESSES)) return;
    launch.exhausted = true;
    launch.next = launch.blocks;
}

void sparse_launch_ended(Launch& launch) {
    launch.exhausted |= launch.left > 0;
    if (launch.aborted && stored && !(stored->runs.back() -= stored_bytes)) stored->runs.resize(stored->runs.size() - 2);
    stored = nullptr;
    if (is_left_half_way(launch)) launch.talks = true;
}

// The running block has had its share of the accesses: the next one has its turn, where none waits for another.
static void leave_for_next(Worker& w, Launch& launch) {
    const uint64_t turn = launch.next;
    if (w.resident || launch.talks || turn >= order.size() || std::min(quota, page_quota * 10) < LEAST_VISITS) return;
    look_for_work(launch);
    tell_share(w, launch);
    if (launch.left == 1 && launch.blocks <= SAMPLED_BLOCKS) shuffle(turn);
    left = true;
    abandon_block();
}

static bool joins(const std::vector<uint64_t>& runs, uint64_t start) {
    return runs.size() >= 2 && runs[runs.size() - 2] + runs.back() == start;
}

void count_access() { accesses++; }

static void note_place(uint32_t rank, bool is_new, bool writes, bool of_earlier_launch = false) {
    if (!is_new) return;
    if (!writes && gathered_by[rank] < HELD) {
        gathered_by[rank]++;
        gathered++;
    }
    done += writes || !fills;
    places += !of_earlier_launch;
}

static void another_thread_runs() {
    for (int i = 1; i < allocation_count; i++)
        if (Sparse* s = allocations[i].sparse) {
            s->read_by_others = s->bytes_read;
            s->written_by_others = s->bytes_written;
        }
}

void note_sparse(Worker& w, Allocation& a, uintptr_t address, int bytes, bool writes) {
    Launch& launch = *w.launch;
    uint64_t thread = w.block * MAX_THREADS_PER_BLOCK + w.rank;
    if (thread != thread_running) another_thread_runs();
    by_thread = thread == thread_running ? by_thread + 1 : 1;
    thread_running = thread;
    Sparse* s = a.sparse;
    if (s && s->tensor && address / 4096 != last_page) {
        Busy busy;
        touched_pages.insert(last_page = address / 4096);
    }
    if (by_thread > most_by_thread) launch.goes_round = true;
    if (++visits > MOST_VISITS || touched_pages.size() > MOST_PAGES || launch.goes_round) {
        if (!launch.goes_round) {
            look_for_work(launch);
            tell_share(w, launch);
        }
        launch.exhausted = true;
        launch.next = launch.blocks;
        abandon_block();  // before the access is made: it must not be noted as one that was
    }
    if (visits - begun > quota || touched_pages.size() - pages_begun > page_quota) leave_for_next(w, launch);
    if (!s || !s->tensor) {
        Busy busy;
        launch.talks = true;
        note_place(w.rank, elsewhere.insert(address).second, writes);
    } else {
        Busy busy;
        const uint64_t start = address - a.low;
        // In the output stands what another block was to leave, in this launch or an earlier one, or it is a place to work in.
        if (!writes && !a.initialised) (s->written.count(start) || s->before.count(start) ? works_in_output : launch.talks) = true;
        const uint64_t bin = start / ((a.high - a.low) / 64 + 1);
        (writes ? s->bins_written : s->bins_read) |= uint64_t(1) << bin;
        const bool is_new = (writes ? s->written : s->read).insert(start).second;
        if (is_new) (writes ? s->bytes_written : s->bytes_read) += bytes;
        note_place(w.rank, is_new, writes, writes && s->before.count(start));
        stored = writes && s->runs.size() < 2 * MOST_RUNS ? s : nullptr;
        stored_bytes = bytes;
        if (stored && joins(s->runs, start)) s->runs.back() += bytes;
        else if (stored) s->runs.insert(s->runs.end(), {start, uint64_t(bytes)});
    }
    (writes ? a.stored : a.loaded) += bytes;
}
}  // namespace __ok

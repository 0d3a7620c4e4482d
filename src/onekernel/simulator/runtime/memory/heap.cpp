// The device heap: allocation, protection, leaks.
#include "memory.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "../checkers/races.h"
#include "../machine/launch.h"
#include "../machine/program.h"
#include "../machine/repeated.h"
#include "../machine/state.h"
#include "../report/findings.h"
#include "host_view.h"
#include "sparse.h"

namespace __ok {
uintptr_t heap_base = 0;
uint16_t granule_owner[HEAP_BYTES / GRANULE];
Allocation allocations[MAX_ALLOCATIONS];
int allocation_count = 1;  // 0 owns what nobody owns

constexpr size_t BEFORE_FIRST = 16;  // granules, nobody's: where an index below 0 of the first allocation leads
constexpr size_t MANY_PAGES = size_t(8) << 20;  // bytes from which on large pages are asked for
constexpr size_t HUGE_GAP = size_t(1) << 30;     // bytes
static std::recursive_mutex heap_lock;
static std::map<size_t, size_t> gaps;  // free stretches: granule -> granules
static size_t heap_top = 0;            // granules that were ever used
static int opened = 0;

static void reserve_heap() {
    if (heap_base) return;
    void* p = mmap(nullptr, HEAP_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return;
    heap_base = reinterpret_cast<uintptr_t>(p);
    heap_top = BEFORE_FIRST;
}

static bool open_granules(size_t first, size_t end) {
    return first >= end || !mprotect(reinterpret_cast<void*>(heap_base + first * GRANULE), (end - first) * GRANULE, PROT_READ | PROT_WRITE);
}

// All but gaps of gigabytes, which large tensors leave below what a launcher keeps: opened, they would count as memory.
static bool open_all() {
    size_t first = 0;
    bool worked = true;
    for (auto [start, count] : gaps) {
        if (count * GRANULE < HUGE_GAP) continue;
        worked &= open_granules(first, start);
        first = start + count;
    }
    return open_granules(first, heap_top) && worked;
}

Open::Open(bool keeps) : error_(errno), sign_of_gamma_(signgam) {
    fegetenv(&floats_);
    fesetenv(FE_DFL_ENV);  // a GPU rounds to the nearest, whatever the host does
    std::lock_guard<std::recursive_mutex> lock(heap_lock);
    if (!keeps) forget_repeated();
    if (opened++ == 0 && heap_top) worked = open_all();
}

Open::~Open() {
    std::lock_guard<std::recursive_mutex> lock(heap_lock);
    if (--opened == 0 && heap_top) {
        mprotect(reinterpret_cast<void*>(heap_base), heap_top * GRANULE, PROT_NONE);
        open_managed();
    }
    fesetenv(&floats_);
    errno = error_;
    signgam = sign_of_gamma_;
}

void while_closed(void (*then)()) {
    std::lock_guard<std::recursive_mutex> lock(heap_lock);
    if (!opened) then();
}

void close_heap() {
    std::lock_guard<std::recursive_mutex> lock(heap_lock);
    if (opened && heap_top) mprotect(reinterpret_cast<void*>(heap_base), heap_top * GRANULE, PROT_NONE);
    opened = 0;
}

// A granule more than asked separates an allocation from the next, so that a near miss hits nobody.
static bool take_granules(size_t count, size_t* start) {
    for (auto gap = gaps.begin(); gap != gaps.end(); ++gap) {
        if (gap->second < count) continue;
        *start = gap->first;
        size_t left = gap->second - count;
        gaps.erase(gap);
        if (left) gaps[*start + count] = left;
        if (opened) open_granules(*start, *start + count);
        return true;
    }
    if (heap_top + count > HEAP_BYTES / GRANULE) return false;
    *start = heap_top;
    heap_top += count;
    if (opened) open_granules(*start, *start + count);
    return true;
}

int device_alloc(size_t bytes, size_t low, size_t high, const char* name, Allocation** out) {
    std::lock_guard<std::recursive_mutex> lock(heap_lock);
    Busy busy;
    reserve_heap();
    size_t count = (bytes + GRANULE - 1) / GRANULE + 1, start = 0;
    if (!heap_base || bytes > HEAP_BYTES || !take_granules(count, &start)) return ERROR_MEMORY_ALLOCATION;
    int id = 0;
    for (int i = 1; i < allocation_count && !id; i++)
        if (!allocations[i].live && !allocations[i].freed) id = i;
    if (!id && allocation_count < MAX_ALLOCATIONS) id = allocation_count++;
    if (!id)  // every number names a freed allocation: forget the oldest
        for (int i = 1; i < allocation_count && !id; i++)
            if (!allocations[i].live) id = i;
    if (!id) return ERROR_MEMORY_ALLOCATION;
    Allocation& a = allocations[id];
    a = Allocation();
    a.item = 1;
    a.base = heap_base + start * GRANULE;
    a.end = a.base + bytes;
    a.low = a.base + low;
    a.high = a.base + high;
    a.live = true;
    strncpy(a.name, name ? name : "", sizeof a.name - 1);
    // Opening and closing the heap takes a step for each page, and so does the first touch.
    if (bytes >= MANY_PAGES) madvise(reinterpret_cast<void*>(a.base), bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < count; i++) granule_owner[start + i] = static_cast<uint16_t>(id);
    *out = &a;
    return SUCCESS;
}

void device_release(Allocation& a) {
    std::lock_guard<std::recursive_mutex> lock(heap_lock);
    Busy busy;
    size_t start = (a.base - heap_base) / GRANULE, count = (a.end - a.base + GRANULE - 1) / GRANULE + 1;
    forget_shadow(a);
    forget_repeated();
    if (a.sparse) make_dense(a);
    a.live = false;
    a.freed = true;
    a.made_file = nullptr;
    a.high = a.low;  // nothing of it may be touched any more
    madvise(reinterpret_cast<void*>(a.base), count * GRANULE, MADV_DONTNEED);
    auto next = gaps.lower_bound(start);
    if (next != gaps.end() && next->first == start + count) {
        count += next->second;
        next = gaps.erase(next);
    }
    if (next != gaps.begin()) {
        auto before = std::prev(next);
        if (before->first + before->second == start) {
            start = before->first;
            count += before->second;
            gaps.erase(before);
        }
    }
    // A large stretch at the end is nobody's again, so that opening the heap asks the system for little more than is in
    // use. A small one stays: who touches it is told so, and goes on.
    if (start + count == heap_top && count * GRANULE > LARGE_BYTES) heap_top = start;
    else gaps[start] = count;
}

// Of an allocation that the system has no room for: as if it had never been asked for.
static void take_back(Allocation& a) {
    device_release(a);
    a.freed = false;
    auto last = gaps.empty() ? gaps.end() : std::prev(gaps.end());
    if (last == gaps.end() || last->first + last->second != heap_top) return;
    heap_top = last->first;
    gaps.erase(last);
}

const Allocation* nearest(uintptr_t address, int given) {
    const Allocation* best = nullptr;
    uintptr_t distance = ~uintptr_t(0);
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        if (!a.base || !a.live || (given && a.given != given)) continue;
        uintptr_t d = address < a.low ? a.low - address : address >= a.high ? address - a.high : 0;
        if (d < distance) {
            distance = d;
            best = &a;
        }
    }
    return best;
}

void start_traffic() {
    for (int i = 1; i < allocation_count; i++) {
        Allocation& a = allocations[i];
        if (!a.live) continue;
        a.loaded = a.stored = a.unique_loaded = a.unique_stored = a.updated = 0;
        a.touched = 0;
        a.depends = false;
    }
}

constexpr size_t FILLED_BYTES = size_t(256) << 20;
constexpr size_t MOST_BYTES = size_t(12) << 30;  // of one allocation: what a grader lets a process have

int host_alloc(void** out, size_t bytes, const char* name, Site at, bool filled) {
    if (!out) return ok_fail(ERROR_INVALID_VALUE);
    HostCall call;
    *out = nullptr;
    if (!bytes) return SUCCESS;
    if (!(options & SPARSE) && bytes > MOST_BYTES) return ok_fail(ERROR_MEMORY_ALLOCATION);
    Allocation* a = nullptr;
    int error = device_alloc(bytes, 0, bytes, name, &a);
    if (error) return ok_fail(error);
    a->made_file = at.file;
    a->made_line = at.line;
    Open open;
    if (options & SPARSE && bytes > LARGE_BYTES) {
        if (!make_sparse(*a)) return ok_fail(ERROR_MEMORY_ALLOCATION);
    } else {
        bool graded_blind = !is_program && (options & RACES) && !(options & SPARSE) && !make_shadow(*a);
        if (!open.worked || graded_blind) {
            take_back(*a);
            return ok_fail(ERROR_MEMORY_ALLOCATION);
        }
        // NaN in every floating-point type. Beyond, pages are taken as they are touched, and shadow memory knows what is new.
        if (filled) memset(reinterpret_cast<void*>(a->base), 0xff, bytes < FILLED_BYTES ? bytes : FILLED_BYTES);
    }
    *out = reinterpret_cast<void*>(a->base);
    return SUCCESS;
}
extern "C" int ok_device_alloc(void** out, size_t bytes, const char* name, Site at) {
    return host_alloc(out, bytes, name, at, true);
}

extern "C" int ok_graph_alloc(void** out, size_t bytes) {
    int error = ok_device_alloc(out, bytes, nullptr, Site(nullptr, 0));  // nobody's leak
    if (!error && *out) owner_of(reinterpret_cast<uintptr_t>(*out) - heap_base).of_graph = true;
    return error;
}
extern "C" bool ok_is_of_graph(const void* pointer) {
    uintptr_t offset = reinterpret_cast<uintptr_t>(pointer) - heap_base;
    return heap_base && offset < HEAP_BYTES && owner_of(offset).of_graph && owner_of(offset).base == offset + heap_base;
}
extern "C" size_t ok_graph_memory() {
    size_t bytes = 0;
    for (int i = 1; i < allocation_count; i++)
        if (allocations[i].live && allocations[i].of_graph) bytes += allocations[i].end - allocations[i].base;
    return bytes;
}

static void release(Allocation& a, Site at) {
    const char* name = name_of(a);  // by the line that asked for it, which is about to be forgotten
    if (name != a.name) strncpy(a.name, name, sizeof a.name - 1);
    device_release(a);
    a.made_file = at.file;
    a.made_line = at.line;
}

void release_all(Site at) {
    for (int i = 1; i < allocation_count; i++)
        if (allocations[i].live && allocations[i].made_file) release(allocations[i], at);
}

// One finding for each line: a loop may have asked again and again.
// After a launch that failed a program leaves where it looks for errors, before it frees anything.
void tell_leaks() {
    if (faulted()) return;
    std::map<std::pair<std::string, int>, std::pair<long long, long long>> lines;  // line -> buffers, bytes
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        if (!a.live || a.symbol || !a.made_file) continue;
        auto& [buffers, bytes] = lines[{a.made_file, a.made_line}];
        buffers++;
        bytes += static_cast<long long>(a.end - a.base);
    }
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        auto line = a.live && a.made_file ? lines.find({a.made_file, a.made_line}) : lines.end();
        if (line == lines.end()) continue;
        Finding("leak", uint64_t(i)).form(name_of(a)[0] ? "named" : "unnamed").at(Site(a.made_file, a.made_line))
            .array("variable", name_of(a)).number("buffers", line->second.first).number("bytes", line->second.second)
            .sentence("memory", a.pinned ? "pinned" : a.managed ? "managed" : "device")
            .text("call", a.pinned ? "cudaFreeHost" : "cudaFree").add();
        lines.erase(line);
    }
}

extern "C" int ok_device_free(void* pointer, Site at) {
    if (!pointer) return SUCCESS;
    if (worker && worker->current) trap("cudaFree in a kernel", at);
    HostCall call;
    uintptr_t offset = reinterpret_cast<uintptr_t>(pointer) - heap_base;
    if (heap_base && offset < HEAP_BYTES) {
        Allocation& a = owner_of(offset);
        if (a.live && a.base == reinterpret_cast<uintptr_t>(pointer)) {
            if (a.of_graph) return SUCCESS;
            release(a, at);
            return SUCCESS;
        }
        Finding("bad-free", uint64_t(at.line)).form(a.live ? "inside" : "twice").at(at).array("buffer", name_of(a)).add();
    } else {
        Finding("bad-free", uint64_t(at.line)).form("host").at(at).add();
    }
    return ok_fail(ERROR_INVALID_VALUE);
}

extern "C" void ok_pitched(const void* pointer, size_t pitch) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(pointer) - heap_base;
    if (heap_base && offset < HEAP_BYTES) owner_of(offset).pitch = pitch;
}

extern "C" bool ok_device_find(const void* pointer, void** base, size_t* bytes) {
    uintptr_t address = reinterpret_cast<uintptr_t>(pointer), offset = address - heap_base;
    if (!heap_base || offset >= HEAP_BYTES) return false;
    const Allocation& a = owner_of(offset);
    if (!a.live || address < a.base || address >= a.end) return false;
    if (base) *base = reinterpret_cast<void*>(a.base);
    if (bytes) *bytes = a.end - a.base;
    return true;
}
}  // namespace __ok

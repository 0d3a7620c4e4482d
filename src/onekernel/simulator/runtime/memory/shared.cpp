// Shared memory: every worker has an arena; each __shared__ array has a place in it, with a gap behind.
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "../checkers/races.h"
#include "../machine/launch.h"
#include "../machine/limits.h"
#include "../machine/state.h"
#include "../report/findings.h"
#include "memory.h"

namespace __ok {
// An address of a matrix descriptor has 18 bits (shared_by_descriptor): in them this lies behind the static arrays of most programs.
constexpr uint32_t DYNAMIC_OFFSET = ARENA_BYTES / 2 + (64 << 10);
static std::mutex shared_lock;
static std::map<uint32_t, SharedArray> arrays;  // of the whole program, by their offsets
static std::vector<SharedSite*> used;     // by this launch
static std::vector<SharedSite*> of_files;  // declared outside functions: of every launch
// Whose every 128 bytes of the arena's static half are: what another kernel has there is nobody's in this launch.
static const SharedArray* owners[DYNAMIC_OFFSET / 128];
static uint32_t static_top = SHARED_BEGIN, dynamic_bytes = 0;
static SharedArray dynamic{"", 0, 0, 0, 4, true};  // under the name by which it was declared last
static unsigned launch_serial = 0;
static bool one_core = false;

char* make_arena() {
    Busy busy;
    void* p = mmap(nullptr, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
}

static void own(const SharedSite& site, const SharedArray* array) {
    for (uint32_t at = site.offset; at < site.offset + site.bytes; at += 128) owners[at / 128] = array;
}

void shared_launch(size_t bytes) {
    std::lock_guard<std::mutex> lock(shared_lock);
    dynamic_bytes = static_cast<uint32_t>(bytes);
    dynamic = {"", 0, DYNAMIC_OFFSET, dynamic_bytes, 4, true};
    launch_serial++;
    for (const SharedSite* site : used) own(*site, nullptr);
    for (const SharedSite* site : of_files) own(*site, &arrays.at(site->offset));
    used.clear();
}

static size_t static_bytes() {
    size_t total = 0;
    for (const SharedSite* site : used) total = (total + site->align - 1) / site->align * site->align + site->bytes;
    return total;
}

// Whether the launch has room for it.
static bool place(SharedSite* site) {
    std::lock_guard<std::mutex> lock(shared_lock);
    Busy busy;
    if (site->offset < 0) {
        uint32_t align = std::max<uint32_t>(128, site->align);
        uint32_t offset = (static_top + align - 1) / align * align;
        static_top = offset + site->bytes + SHARED_GAP;
        arrays[offset] = {site->name, site->line, offset, site->bytes, site->item, false, site->columns, site->rows};
        site->offset = static_cast<int>(offset);
    }
    if (site->launch != launch_serial) {
        own(*site, &arrays.at(site->offset));
        used.push_back(site);
        __atomic_store_n(&site->launch, launch_serial, __ATOMIC_RELEASE);  // other cores go by it
    }
    const bool is_running = worker && worker->current;
    return !is_running || !dynamic_bytes || !is_too_much_shared(*worker->launch->site, worker->launch->config, static_bytes());
}

extern "C" void* ok_shared(SharedSite* site) {
    Worker& w = *worker;
    if (__atomic_load_n(&site->launch, __ATOMIC_ACQUIRE) != launch_serial && !place(site)) refuse_begun();
    return w.arena + site->offset;
}

extern "C" void* ok_shared_dynamic(const char* name, int line, unsigned item) {
    dynamic = {name, line, DYNAMIC_OFFSET, dynamic_bytes, item, true};
    return worker->arena + DYNAMIC_OFFSET;
}

extern "C" unsigned ok_dynamic_shared_bytes() { return dynamic_bytes; }

extern "C" bool ok_in_shared(const volatile void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(worker->arena) < ARENA_BYTES;
}

extern "C" uint64_t ok_shared_address(const volatile void* pointer) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(worker->arena));
}

// In a cluster's window a block's rank, plus 1, stands above the address in its own: ok/ptx_addresses.h.
extern "C" void* ok_shared_pointer(uint64_t address, Site at) {
    constexpr unsigned RANK_SHIFT = 24;
    address &= ~0u;
    if (address < ARENA_BYTES) return worker->arena + address;
    uint64_t offset = address & ((1u << RANK_SHIFT) - 1);
    if (address >> RANK_SHIFT && offset < ARENA_BYTES) return ok_map_shared(worker->arena + offset, static_cast<int>(address >> RANK_SHIFT) - 1, at);
    // Beyond shared memory: the place behind its last array, where any access is out of bounds.
    return worker->arena + DYNAMIC_OFFSET + dynamic_bytes;
}

extern "C" void* ok_shared_at_namespace_scope(SharedSite* site) {
    one_core = true;
    Worker& w = host_worker();
    if (!site->bytes) return w.arena + DYNAMIC_OFFSET;  // extern, without a size
    place(site);
    of_files.push_back(site);
    return w.arena + site->offset;
}

bool shared_needs_one_core() { return one_core; }

// Who goes past an end mostly goes one too far, or far too far; who goes below a beginning, a few elements.
const SharedArray* shared_nearest(uint32_t offset) {
    constexpr uint32_t A_FEW = 32;  // bytes
    Busy busy;
    std::lock_guard<std::mutex> lock(shared_lock);
    if (offset >= DYNAMIC_OFFSET) return &dynamic;
    const SharedArray *last = nullptr, *next = dynamic.name[0] ? &dynamic : nullptr;
    for (const auto* sites : {&used, &of_files})
        for (const SharedSite* site : *sites) {
            const SharedArray& a = arrays.at(site->offset);
            if (a.offset <= offset ? !last || a.offset > last->offset : !next || a.offset < next->offset)
                (a.offset <= offset ? last : next) = &a;
        }
    if (!last || !next) return last ? last : next;
    uint32_t end = last->offset + last->bytes, before = next->offset - offset;
    return offset >= end && (before <= A_FEW || (offset - end >= SHARED_GAP && before < offset - end)) ? next : last;
}

const SharedArray* shared_at(uint32_t offset) {
    const SharedArray* a = offset >= DYNAMIC_OFFSET ? &dynamic : owners[offset / 128];
    return a && offset < a->offset + a->bytes ? a : nullptr;
}

uint32_t shared_by_descriptor(uint32_t address, long long low, long long high) {
    constexpr uint32_t TURN = 1u << 18;
    Busy busy;
    std::lock_guard<std::mutex> lock(shared_lock);
    uint32_t begins = 0;
    auto means = [&](const SharedArray& a) {
        const uint32_t at = a.offset + ((address - a.offset) & (TURN - 1));
        if (at >= a.offset + a.bytes) return 0u;
        if (!begins) begins = at;
        return at + low >= a.offset && at + high <= a.offset + a.bytes ? at : 0u;
    };
    if (dynamic_bytes)
        if (const uint32_t at = means(dynamic)) return at;
    for (const auto* sites : {&used, &of_files})
        for (const SharedSite* site : *sites)
            if (const uint32_t at = means(arrays.at(site->offset))) return at;
    return begins;
}

bool shared_has_extent(long long elements) {
    Busy busy;
    std::lock_guard<std::mutex> lock(shared_lock);
    for (const auto* sites : {&used, &of_files})
        for (const SharedSite* site : *sites)
            for (unsigned size : {site->bytes / site->item, site->columns, site->rows * site->columns})
                if (size == elements) return true;
    return false;
}

static std::multimap<uintptr_t, uintptr_t> of_kernels;  // by the kernel's place in the file's code, the site's

extern "C" size_t ok_shared_bytes_of(const void* kernel) {
    auto [begin, end] = of_kernels.equal_range(reinterpret_cast<uintptr_t>(kernel) - code_base());
    std::vector<const SharedSite*> sites;
    for (; begin != end; ++begin) sites.push_back(reinterpret_cast<const SharedSite*>(code_base() + begin->second));
    std::sort(sites.begin(), sites.end(), [](const SharedSite* a, const SharedSite* b) { return a->line < b->line; });
    size_t total = 0;
    for (const SharedSite* site : sites) total = (total + site->align - 1) / site->align * site->align + site->bytes;
    return total;
}

size_t shared_static_bytes() {
    std::lock_guard<std::mutex> lock(shared_lock);
    return static_bytes();
}
// What Python calls, once for each array that stands in a kernel's body.
extern "C" __attribute__((visibility("default"))) void ok_shared_of(uint64_t kernel, uint64_t site) {
    of_kernels.emplace(kernel, site);
}
}  // namespace __ok

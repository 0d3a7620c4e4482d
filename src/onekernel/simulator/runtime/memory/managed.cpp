// Managed memory: device memory that the host may touch too, except while work that was given it may still run.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "../shadow/shadow.h"
#include "../machine/launch.h"
#include "../machine/program.h"
#include "../machine/streams.h"
#include "memory.h"
#include "pinned.h"

namespace __ok {
constexpr uintptr_t PAGE = 4096;
constexpr size_t SMALL_PAGES = size_t(8) << 20;
static int managed = 0;  // allocations ever made: without one, nothing of this costs anything

void open_managed() {
    if (!managed) return;
    while_closed([] {  // else when it is closed: another thread of the host may be copying
        for (int i = 1; i < allocation_count; i++)
            if (allocations[i].live && allocations[i].managed && (allocations[i].pinned || host_has_waited(i))) open_to_host(allocations[i]);
        close_pinned();
    });
}

Allocation* managed_at(uintptr_t address) {
    if (!heap_base || address - heap_base >= HEAP_BYTES) return nullptr;
    Allocation& a = owner_of(address - heap_base);
    return a.live && a.managed ? &a : nullptr;
}

void open_to_host(const Allocation& a) {
    size_t bytes = (a.end - a.base + GRANULE - 1) / GRANULE * GRANULE;
    mprotect(reinterpret_cast<void*>(a.base), bytes, PROT_READ | PROT_WRITE);
}

// Which of `count` pages from `page` on are there; all of them where the system does not tell.
static std::vector<bool> pages_there(uintptr_t page, size_t count) {
    static const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    std::vector<uint64_t> told(count);
    const ssize_t bytes = static_cast<ssize_t>(count * sizeof told[0]);
    const bool known = file >= 0 && pread(file, told.data(), static_cast<size_t>(bytes), static_cast<off_t>(page / PAGE * sizeof told[0])) == bytes;
    std::vector<bool> there(count, true);
    if (known) for (size_t i = 0; i < count; i++) there[i] = told[i] >> 62;  // in memory, or in the swap
    return there;
}

bool host_has_written(uintptr_t address) {
    Busy busy;
    return pages_there(address & ~(PAGE - 1), 1)[0];
}

void note_host_writes() {
    if (!managed || !is_program || !(options & RACES)) return;
    Busy busy;
    for (int i = 1; i < allocation_count; i++) {
        Allocation& a = allocations[i];
        if (!a.live || !a.managed || a.initialised) continue;
        const std::vector<bool> there = pages_there(a.base, (a.high - a.base + PAGE - 1) / PAGE);
        if (std::find(there.begin(), there.end(), false) == there.end()) a.initialised = true;
        else for (size_t page = 0; page < there.size(); page++) if (there[page]) mark_lines(a, page * PAGE, PAGE);
    }
}

bool is_given_host_memory(int launch) {
    return std::any_of(allocations + 1, allocations + allocation_count, [&](const Allocation& a) { return a.live && a.managed && a.given == launch; });
}

bool is_of_both(const void* pointer) {
    const Allocation* symbol = symbol_at(reinterpret_cast<uintptr_t>(pointer));
    return (symbol && symbol->of_both) || managed_at(reinterpret_cast<uintptr_t>(pointer));
}

extern "C" bool ok_is_managed(const void* pointer) {
    const Allocation* a = managed_at(reinterpret_cast<uintptr_t>(pointer));
    return a && !a->pinned;
}
extern "C" bool ok_is_pinned(const void* pointer) {
    const Allocation* a = managed_at(reinterpret_cast<uintptr_t>(pointer));
    return a && a->pinned;
}

// What the host writes is not seen. But a page that nobody has touched is not there, and nobody has written it. What a
// launcher is given is filled instead, and counts as written.
extern "C" int ok_managed_alloc(void** out, size_t bytes, Site at) {
    int error = host_alloc(out, bytes, nullptr, at, !is_program);
    if (error || !bytes) return error;
    Allocation& a = owner_of(reinterpret_cast<uintptr_t>(*out) - heap_base);
    a.managed = true;
    a.initialised = !is_program;
    // A large page that is there says nothing of its parts; the largest buffers need them.
    if (bytes < SMALL_PAGES) madvise(reinterpret_cast<void*>(a.base), bytes, MADV_NOHUGEPAGE);
    managed++;
    open_to_host(a);
    return SUCCESS;
}

// Memory of the host that kernels may reach, too: mapped ("zero copy"), as page-locked memory is with unified addresses.
extern "C" int ok_pinned_alloc(void** out, size_t bytes, Site at) {
    int error = ok_managed_alloc(out, bytes, at);
    if (!error && bytes) owner_of(reinterpret_cast<uintptr_t>(*out) - heap_base).pinned = true;
    return error;
}
}  // namespace __ok

// Page-locked memory of the host that work on a stream may still read or write: closed to the host until it has waited.
#include "pinned.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "../machine/state.h"
#include "../machine/streams.h"

namespace __ok {
namespace {
struct Pending {
    const Allocation* allocation;
    uintptr_t base;  // of the allocation then
    uintptr_t low, high;
    WorkMark work;
    PinnedUse use;
};
std::mutex pending_lock;
std::vector<Pending> pending;
constexpr uintptr_t HOST_PAGE = 4096;

uintptr_t next_page(uintptr_t address) { return (address + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE; }

// Nobody else lives on the first and last pages of an allocation; within it, a page that holds other bytes stays open.
void close_pages(const Pending& p, int protection) {
    const Allocation& a = *p.allocation;
    const uintptr_t low = p.low <= a.low ? a.base : next_page(p.low), high = p.high >= a.high ? next_page(a.high) : p.high / HOST_PAGE * HOST_PAGE;
    if (low < high) mprotect(reinterpret_cast<void*>(low), high - low, protection);
}
}  // namespace

void pinned_busy(const void* pointer, size_t bytes, PinnedUse use, const volatile void* stream) {
    const uintptr_t low = reinterpret_cast<uintptr_t>(pointer);
    const Allocation* a = managed_at(low);
    if (!a || !a->pinned || !bytes) return;
    Busy busy;
    std::lock_guard<std::mutex> guard(pending_lock);
    pending.push_back({a, a->base, low, bytes == WHOLE ? a->high : low + bytes, last_work(stream), use});
    if (bytes == WHOLE) pending.back().low = a->low;
}

extern "C" void ok_pinned_copy(void* to, const void* from, size_t bytes, const volatile void* stream, Site at) {
    pinned_busy(to, bytes, {PinnedUse::ARRIVES, at}, stream);
    pinned_busy(from, bytes, {PinnedUse::LEAVES, at}, stream);
    open_managed();
}

void close_pinned() {
    Busy busy;
    std::lock_guard<std::mutex> guard(pending_lock);
    if (pending.empty()) return;
    pending.erase(std::remove_if(pending.begin(), pending.end(), [](const Pending& p) {
        return !p.allocation->live || p.allocation->base != p.base || host_has_passed(p.work);
    }), pending.end());
    for (const Pending& p : pending) if (p.use.kind == PinnedUse::LEAVES) close_pages(p, PROT_READ);
    for (const Pending& p : pending) if (p.use.kind != PinnedUse::LEAVES) close_pages(p, PROT_NONE);
}

bool pinned_in_use(const Allocation& a, uintptr_t address, PinnedUse* use) {
    std::lock_guard<std::mutex> guard(pending_lock);
    bool found = false;
    for (const Pending& p : pending) {
        // What the host has waited for lies here until a call of any thread takes it out.
        if (p.allocation != &a || address < p.low || address >= p.high || host_has_passed(p.work)) continue;
        if (!found || p.use.kind < use->kind) *use = p.use;  // a copy from it lets the host read
        found = true;
    }
    pending.erase(std::remove_if(pending.begin(), pending.end(), [&](const Pending& p) { return p.allocation == &a; }), pending.end());
    return found;
}
}  // namespace __ok

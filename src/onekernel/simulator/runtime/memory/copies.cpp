// Copies and fills that the host asks for: both sides checked, the device's opened meanwhile.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../checkers/races.h"
#include "../checkers/unwritten.h"
#include "../machine/conditions.h"
#include "../machine/launch.h"
#include "../machine/program.h"
#include "../report/findings.h"
#include "host_blocks.h"
#include "host_memory.h"
#include "host_view.h"
#include "memory.h"
#include "sparse.h"

namespace __ok {
static bool on_device(const void* p) {
    return heap_base && reinterpret_cast<uintptr_t>(p) - heap_base < HEAP_BYTES;
}

// What a graded launcher received; beginners copy it to the device once more, as their first programs did with the host's.
static bool received(const void* p) {
    const Allocation& owner = owner_of(reinterpret_cast<uintptr_t>(p) - heap_base);
    return !is_program && owner.live && !owner.made_file;
}

// Checks one side of a copy; a device side must lie inside one allocation.
static bool side_is_good(const void* p, size_t bytes, bool should_be_device, bool writes, Site at) {
    bool device = on_device(p);
    if (managed_at(reinterpret_cast<uintptr_t>(p))) should_be_device = device;  // either side
    if (device != should_be_device) {
        // __device__ and __constant__ variables live outside the heap, and count as device memory.
        if (!device && should_be_device && is_symbol(reinterpret_cast<uintptr_t>(p), bytes)) return true;
        const char* side = !device ? "host" : received(p) ? "received" : "device";
        Finding("wrong-copy-side", uint64_t(at.line)).form(side, writes ? "destination" : "source").at(at).add();
        return false;
    }
    if (!device) return true;
    uintptr_t a = reinterpret_cast<uintptr_t>(p);
    const Allocation& owner = owner_of(a - heap_base);
    if (owner.live && a >= owner.low && a + bytes <= owner.high) return true;
    if (owner.freed) {
        Finding("use-after-free", uint64_t(at.line)).form(writes ? "copied-to" : "copied-from").at(at).array("variable", owner.name)
            .other_at(Site(owner.made_file, owner.made_line)).add();
        return false;
    }
    const Allocation* n = nearest(a);
    Finding("copy-out-of-bounds", uint64_t(at.line)).form(n && name_of(*n)[0] ? "named" : "unnamed").at(at).array("buffer", n ? name_of(*n) : "")
        .number("bytes", static_cast<long long>(bytes)).number("size", n ? static_cast<long long>(n->high - n->low) : 0)
        .number("offset", n ? static_cast<long long>(a - n->low) : 0).add();
    return false;
}

// Both sides are the opposite of what the direction says: it is named, and so is the right one.
static bool tell_reversed(const void* to, const void* from, size_t bytes, bool to_device, Site at) {
    for (const void* p : {to, from})
        if (managed_at(reinterpret_cast<uintptr_t>(p)) || is_symbol(reinterpret_cast<uintptr_t>(p), 1)) return false;
    if (on_device(to) == to_device || on_device(from) != to_device) return false;
    if (to_device && ok_device_find(from, nullptr, nullptr)) mark_initialised(reinterpret_cast<uintptr_t>(from), bytes);  // as was meant
    Finding("wrong-copy-side", uint64_t(at.line)).form("reversed").at(at).sentence("source", to_device ? "the-device" : "the-host")
        .sentence("destination", to_device ? "the-host" : "the-device")
        .text("direction", to_device ? "cudaMemcpyDeviceToHost" : "cudaMemcpyHostToDevice").add();
    return true;
}

// A copy or a fill that gives a buffer its first bytes and no more may have counted elements where bytes were meant.
static void note_filled(const void* to, size_t bytes, Site at) {
    if (!on_device(to)) return;
    Allocation& a = owner_of(reinterpret_cast<uintptr_t>(to) - heap_base);
    const bool first = reinterpret_cast<uintptr_t>(to) == a.low && (!a.filled_line || (a.filled_line == at.line && a.filled == bytes));
    a.filled = first ? bytes : 0;
    a.filled_file = at.file;
    a.filled_line = at.line;
}

// So many bytes of a copy as the host has room for, where that is known: what lies behind is not the program's to use.
static size_t in_host_memory(const void* p, size_t bytes, bool writes, Site at) {
    const HostRoom room = host_room(p);
    if (bytes <= room.bytes) return bytes;
    Finding("copy-out-of-bounds", uint64_t(at.line)).form(room.of_a_local ? "local" : "host", writes ? "written" : "read").at(at)
        .number("bytes", static_cast<long long>(bytes)).number("size", static_cast<long long>(room.bytes)).add();
    return room.of_a_local ? 0 : room.bytes;  // the end of a frame is no variable's
}

// The tables of virtual functions that objects of the host point to: those of few classes.
static std::vector<uintptr_t> tables;
void note_table(const void* table) {
    if (!is_program || (worker && worker->current)) return;
    const uintptr_t address = reinterpret_cast<uintptr_t>(table);
    if (std::find(tables.begin(), tables.end(), address) == tables.end() && tables.size() < 64) tables.push_back(address);
}

// Whether an object with virtual functions is among what the host copies to the device, in so much of it as is looked through.
static void tell_virtual(const void* from, size_t bytes, Site at) {
    if (tables.empty() || reinterpret_cast<uintptr_t>(from) % alignof(void*)) return;
    const auto words = static_cast<const uintptr_t*>(from);
    for (size_t i = 0; i < std::min<size_t>(bytes / sizeof(void*), 4096); i++)
        if (std::find(tables.begin(), tables.end(), words[i]) != tables.end()) {
            Finding("virtual-copied", uint64_t(at.line)).at(at).add();
            return;
        }
}

extern "C" int ok_device_copy(void* to, const void* from, size_t bytes, int kind, Site at) {
    if (!bytes) return SUCCESS;
    HostCall call;
    auto of_device = [&](const void* p) { return on_device(p) || is_symbol(reinterpret_cast<uintptr_t>(p), bytes); };
    if (kind == 4) kind = (of_device(from) ? 2 : 0) + (of_device(to) ? 1 : 0);  // cudaMemcpyDefault
    if (kind < 0 || kind > 3) return ok_fail(ERROR_INVALID_DIRECTION);
    bool to_device = kind == 1 || kind == 3, from_device = kind == 2 || kind == 3;
    if (to_device != from_device && tell_reversed(to, from, bytes, to_device, at)) return ok_fail(ERROR_INVALID_VALUE);
    if (!side_is_good(to, bytes, to_device, true, at) || !side_is_good(from, bytes, from_device, false, at))
        return ok_fail(ERROR_INVALID_VALUE);
    if (!to_device && in_body() && !is_of_both(to) && !is_registered(reinterpret_cast<uintptr_t>(to))) {
        ok_unsupported("a copy into memory of the host that is not page-locked, in the body of a conditional node", at);
        return ERROR_NOT_SUPPORTED;
    }
    const size_t given_bytes = bytes;
    if (!to_device) bytes = in_host_memory(to, bytes, true, at);
    if (!from_device) bytes = in_host_memory(from, bytes, false, at);
    if (options & SPARSE && kind == 3 && bytes > LARGE_BYTES) {
        sparse_copied();
        return SUCCESS;
    }
    if (to_device && !from_device) tell_virtual(from, bytes, at);
    bool given = is_of_both(to);
    Open open(from_device && !to_device);
    if (from_device && !to_device && !given) {
        DeviceView view;
        tell_unwritten(reinterpret_cast<uintptr_t>(from), bytes, at);
        copy_to_host(to, from, bytes, at);
        return SUCCESS;
    }
    if (from_device || !given) {  // what the host puts into managed memory, it may see again
        DeviceView view;
        memmove(to, from, bytes);
    } else {
        memmove(to, from, bytes);
    }
    if (to_device) {
        symbol_given(reinterpret_cast<uintptr_t>(to), given_bytes, at);
        mark_initialised(reinterpret_cast<uintptr_t>(to), given_bytes);
        note_filled(to, given_bytes, at);
    }
    return SUCCESS;
}

extern "C" int ok_is_symbol(const void* address, Site at) {
    if (is_symbol(reinterpret_cast<uintptr_t>(address), 1)) return SUCCESS;
    HostCall call;
    Finding("bad-symbol", uint64_t(at.line)).at(at).add();
    return ok_fail(ERROR_INVALID_SYMBOL);
}

extern "C" int ok_device_fill(void* to, int value, size_t bytes, Site at) {
    if (!bytes) return SUCCESS;
    HostCall call;
    if (!side_is_good(to, bytes, true, true, at)) return ok_fail(ERROR_INVALID_VALUE);
    if (options & SPARSE && bytes > LARGE_BYTES) return SUCCESS;  // nobody looks at what is computed from it
    Open open;
    if (is_of_both(to)) {
        memset(to, value, bytes);
    } else {
        DeviceView view;
        memset(to, value, bytes);
    }
    symbol_given(reinterpret_cast<uintptr_t>(to), bytes, at);
    mark_initialised(reinterpret_cast<uintptr_t>(to), bytes);
    note_filled(to, bytes, at);
    return SUCCESS;
}
}  // namespace __ok

// Copies and fills that the host asks for: both sides checked, the device's opened meanwhile.
#include <cstring>

#include "../checks/race.h"
#include "../checks/unwritten.h"
#include "../machine/launch.h"
#include "../report/findings.h"
#include "host_view.h"
#include "memory.h"
#include "sparse.h"

namespace __ok {
static bool on_device(const void* p) {
    return heap_base && reinterpret_cast<uintptr_t>(p) - heap_base < HEAP_BYTES;
}

// Checks one side of a copy; a device side must lie inside one allocation.
static bool side_is_good(const void* p, size_t bytes, bool should_be_device, bool writes, Site at) {
    bool device = on_device(p);
    if (managed_at(reinterpret_cast<uintptr_t>(p))) should_be_device = device;  // either side
    if (device != should_be_device) {
        // __device__ and __constant__ variables live outside the heap, and count as device memory.
        if (!device && should_be_device && is_symbol(reinterpret_cast<uintptr_t>(p), bytes)) return true;
        Finding("wrong-copy-side", uint64_t(at.line)).form(device ? "device" : "host", writes ? "destination" : "source").at(at).add();
        return false;
    }
    if (!device) return true;
    uintptr_t a = reinterpret_cast<uintptr_t>(p);
    const Allocation& owner = owner_of(a - heap_base);
    if (owner.live && a >= owner.low && a + bytes <= owner.high) return true;
    const Allocation* n = nearest(a);
    Finding("copy-out-of-bounds", uint64_t(at.line)).form(n && name_of(*n)[0] ? "named" : "unnamed").at(at).array("buffer", n ? name_of(*n) : "")
        .number("bytes", static_cast<long long>(bytes)).number("size", n ? static_cast<long long>(n->high - n->low) : 0)
        .number("offset", n ? static_cast<long long>(a - n->low) : 0).add();
    return false;
}

extern "C" int ok_device_copy(void* to, const void* from, size_t bytes, int kind, Site at) {
    if (!bytes) return SUCCESS;
    HostCall call;
    auto of_device = [&](const void* p) { return on_device(p) || is_symbol(reinterpret_cast<uintptr_t>(p), bytes); };
    if (kind == 4) kind = (of_device(from) ? 2 : 0) + (of_device(to) ? 1 : 0);  // cudaMemcpyDefault
    if (kind < 0 || kind > 3) return ok_fail(ERROR_INVALID_DIRECTION);
    bool to_device = kind == 1 || kind == 3, from_device = kind == 2 || kind == 3;
    if (!side_is_good(to, bytes, to_device, true, at) || !side_is_good(from, bytes, from_device, false, at))
        return ok_fail(ERROR_INVALID_VALUE);
    if (options & SPARSE && kind == 3 && bytes > LARGE_BYTES) {
        sparse_copied();
        return SUCCESS;
    }
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
    if (to_device) mark_initialised(reinterpret_cast<uintptr_t>(to), bytes);
    return SUCCESS;
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
    mark_initialised(reinterpret_cast<uintptr_t>(to), bytes);
    return SUCCESS;
}
}  // namespace __ok

#include "work.h"

#include <optional>

#include "../api/ok/libraries.h"
#include "../shadow/shadow.h"
#include "../memory/host_view.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "../report/unasked.h"

namespace __ok {
int library_depth = 0;
static std::optional<Open> library_open;
static std::optional<DeviceView> library_view;

extern "C" bool ok_on_device() { return library_depth || ok_in_kernel(); }

extern "C" void ok_library_work(bool begins) {
    if (worker && worker->current) return;  // an algorithm within a kernel is the kernel's own
    if (begins) {
        if (library_depth++) return;
        // One thread does it all, and a functor may ask which it is of how many.
        ok_gridDim = ok_blockDim = {1, 1, 1};
        ok_blockIdx = ok_threadIdx = {0, 0, 0};
        library_open.emplace();
        library_view.emplace();
    } else if (--library_depth == 0) {
        library_view.reset();
        library_open.reset();
        ok_stream_order(JOIN_STREAM, nullptr, nullptr);
    }
}

extern "C" int ok_library_alloc(void** out, size_t bytes, bool managed) {
    Site nowhere(nullptr, 0);
    int error = managed ? ok_managed_alloc(out, bytes, nowhere) : ok_device_alloc(out, bytes, nullptr, nowhere);
    if (!error) __ok::owner_of(reinterpret_cast<uintptr_t>(*out) - heap_base).initialised = true;  // a vector fills what it takes
    return error;
}
extern "C" void ok_library_free(void* pointer) {
    if (pointer) ok_stream_order(JOIN_DEVICE, nullptr, nullptr);
    ok_device_free(pointer, Site(nullptr, 0));
}

void note_library_access(uintptr_t address, size_t bytes, bool writes) {
    uintptr_t offset = address - heap_base;
    if (!heap_base || offset >= HEAP_BYTES) return;
    Allocation& a = __ok::owner_of(offset);
    if (a.live && address >= a.low && address + bytes <= a.high) {
        if (writes && !a.initialised) mark_initialised(address, bytes);
        return;
    }
    const Allocation* n = nearest(address);
    uintptr_t key = n ? n->base : 0;
    Finding("library-extent", key, writes).form("algorithm", writes ? "writes" : "reads").code_at(stack_of_host())
        .array("buffer", !n ? "" : n->made_file ? n->name : "device_vector").number("size", n ? static_cast<long long>(n->high - n->low) : 0)
        .number("offset", n ? static_cast<long long>(address - n->low) : 0)
        .number("bytes", static_cast<long long>(bytes)).add();
}
}  // namespace __ok

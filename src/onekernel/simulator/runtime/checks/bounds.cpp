// Accesses that hit nothing, what was freed, an address that their size does not divide, or memory of the host.
#include "bounds.h"

#include "../machine/launch.h"
#include "../memory/access.h"
#include "../report/findings.h"

namespace __ok {
void report_out_of_bounds(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    w.suspect = address;
    const Allocation& owner = owner_of(address - heap_base);
    if (owner.freed) {
        Finding("use-after-free", pc).code_at(pc).here().array("variable", owner.name).add();
        return;
    }
    const Allocation* a = owner.live ? &owner : nearest(address);
    long long item = a ? a->item : 1;
    long long size = a ? static_cast<long long>(a->high - a->low) / item : 0;
    long long offset = a ? static_cast<long long>(address - a->low) : 0;
    long long index = offset >= 0 ? offset / item : -((-offset + item - 1) / item), past = index - size + 1;
    long long last = (offset + bytes - 1) / item;  // the element at the access's other end
    bool across = size && bytes > item && index < size && last >= size && offset >= 0;
    const char* side = !size ? "nowhere" : offset < 0 ? "before" : across ? "across" : "after";
    Finding(flags & WRITES ? "out-of-bounds-write" : "out-of-bounds-read", pc, a ? static_cast<uint64_t>(a - allocations) : 0)
        .form(flags & WRITES ? "write" : "read", side).code_at(pc).here().array("variable", a ? a->name : "")
        .number("index", index).number("size", size).number("distance", past).number("bytes", bytes).number("last", last)
        .sentence("advice", past == 1 ? "advice-last" : "advice-tail").add();
}

void report_out_of_bounds_shared(uint32_t offset, int bytes, unsigned flags, uintptr_t pc) {
    const SharedArray* a = shared_nearest(offset);
    long long item = a ? a->item : 1, from = a ? a->offset : 0, size = a ? a->bytes : 0;
    long long first = (offset - from) / item, last = (offset - from + bytes - 1) / item;
    bool across = bytes > item && first < size / item;
    Finding(flags & WRITES ? "out-of-bounds-shared-write" : "out-of-bounds-shared-read", pc, a ? a->offset : 0)
        .form(flags & WRITES ? "write" : "read", across ? "across" : "").code_at(pc).here().array("variable", a ? a->name : "")
        .number("index", first).number("size", size / item).number("bytes", bytes).number("last", last).add();
}

void report_misaligned(uintptr_t address, int bytes, uintptr_t pc, const char* name) {
    Finding("misaligned-access", pc).code_at(pc).here().array("variable", name).number("bytes", bytes)
        .number("past", static_cast<long long>(address % bytes)).add();
    stop_launch(ERROR_MISALIGNED_ADDRESS);
}
}  // namespace __ok

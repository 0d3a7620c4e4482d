// Accesses that hit nothing, what was freed, an address that their size does not divide, or memory of the host.
#include "bounds.h"

#include "../machine/launch.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "race.h"

namespace __ok {
static void describe(Finding& f, uintptr_t pc, const Allocation* a, uintptr_t address, int bytes, const char* access) {
    long long item = a ? a->item : 1;
    long long size = a ? static_cast<long long>(a->high - a->low) / item : 0;
    long long offset = a ? static_cast<long long>(address - a->low) : 0;
    long long index = offset >= 0 ? offset / item : -((-offset + item - 1) / item);
    f.code_at(pc).here().text("variable", a ? a->name : "").text("access", access).number("index", index);
    f.number("size", size).number("bytes", bytes);
    f.text("side", offset < 0 ? "before" : "after");
    f.number("distance", offset < 0 ? -index : index - size + 1);
}

void report_out_of_bounds(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    w.suspect = address;
    const Allocation& owner = owner_of(address - heap_base);
    const char* access = flags & ATOMIC ? "atomic" : flags & WRITES ? "write" : "read";
    if (owner.freed) {
        if (first_of("use-after-free", pc)) {
            Finding f("use-after-free");
            f.code_at(pc).here().text("variable", owner.name).text("access", access).add();
        }
        return;
    }
    const Allocation* a = owner.live ? &owner : nearest(address);
    if (!first_of(flags & WRITES ? "out-of-bounds-write" : "out-of-bounds-read", pc,
                  a ? static_cast<uint64_t>(a - allocations) : 0))
        return;
    Finding f(flags & WRITES ? "out-of-bounds-write" : "out-of-bounds-read");
    describe(f, pc, a, address, bytes, access);
    f.add();
}

void report_out_of_bounds_shared(uint32_t offset, int bytes, unsigned flags, uintptr_t pc) {
    const SharedArray* a = shared_nearest(offset);
    const char* code = flags & WRITES ? "out-of-bounds-shared-write" : "out-of-bounds-shared-read";
    if (!first_of(code, pc, a ? a->offset : 0)) return;
    Finding f(code);
    long long item = a ? a->item : 1, from = a ? a->offset : 0, size = a ? a->bytes : 0;
    f.code_at(pc).here().text("variable", a ? a->name : "").text("access", flags & WRITES ? "write" : "read");
    f.number("index", (offset - from) / item).number("size", size / item).number("bytes", bytes);
    f.number("distance", (offset - from) / item - size / item + 1).text("side", "after").add();
}

void report_misaligned(uintptr_t address, int bytes, uintptr_t pc, const char* name) {
    if (first_of("misaligned-access", pc)) {
        Finding f("misaligned-access");
        f.code_at(pc).here().text("variable", name).number("bytes", bytes);
        f.number("past", static_cast<long long>(address % bytes)).add();
    }
    stop_launch(ERROR_MISALIGNED_ADDRESS);
}

void report_host_pointer(Worker& w, uintptr_t address, uintptr_t pc) {
    uintptr_t indices = reinterpret_cast<uintptr_t>(&ok_threadIdx);  // clang's hooks see threadIdx itself
    if (address - indices + 4096 < 8192) return;
    w.suspect = address;
    if (first_of("host-pointer", pc)) Finding("host-pointer", address).code_at(pc).here().add();
}
}  // namespace __ok

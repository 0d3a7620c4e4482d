// Tells: out-of-bounds-read, out-of-bounds-write, out-of-bounds-shared-read, out-of-bounds-shared-write, use-after-free,
//        foreign-local, misaligned-access
// Tests: oob_*, misaligned_*, use_after_free
#include "bounds.h"

#include <map>
#include <mutex>

#include "../machine/launch.h"
#include "../machine/less.h"
#include "../memory/access.h"
#include "../memory/host_memory.h"
#include "../report/findings.h"
#include "late_reads.h"
#include "../shadow/shadow_line.h"

namespace __ok {
// Which element of `item` bytes the byte at `offset` lies in; below 0 for one before the first.
static long long element(long long offset, long long item) { return offset >= 0 ? offset / item : -((-offset + item - 1) / item); }

// The buffer that the same place in the code has touched in this launch, if the checks know one: of several one that the launch
// was given, and that is the nearest.
static const Allocation* touched_at(uintptr_t pc, const Allocation* near) {
    const uint32_t code = static_cast<uint32_t>(pc - text_base());
    const Allocation* best = touched_by(*near, code) ? near : nullptr;
    for (int i = 1; i < allocation_count; i++) {
        if (best && best->given == launch_count()) break;
        const Allocation& a = allocations[i];
        if (a.live && (!best || a.given == launch_count()) && touched_by(a, code)) best = &a;
    }
    return best;
}

// Which buffer an access was meant for that hits none; without such a one the nearest of those that the launch was given or has
// touched.
static const Allocation* meant(const Worker& w, uintptr_t address, uintptr_t pc) {
    const Allocation& owner = owner_of(address - heap_base);
    const Allocation* near = owner.live ? &owner : nearest(address);
    if (!near || !w.launch) return near;
    if ((options & RACES) || checks_less) {  // what this launch has touched before it was checked less is known, too
        static std::map<std::pair<unsigned, uintptr_t>, const Allocation*> known;
        static std::mutex lock;
        Busy busy;
        std::lock_guard<std::mutex> guard(lock);
        auto [place, is_new] = known.insert({{w.launch->serial, pc}, nullptr});
        if (is_new) place->second = touched_at(pc, near);
        if (place->second && place->second->live) return place->second;
    }
    const bool in_use = near->given == launch_count() || near->touched || near->loaded || near->stored;
    const Allocation* given = in_use ? nullptr : nearest(address, launch_count());
    return given ? given : near;
}

// The buffer that an unsigned index of 32 bits which went below 0 was meant for, or null: others lie nearer.
static const Allocation* wrapped_from(uintptr_t address) {
    constexpr long long TURN = 1LL << 32, A_FEW = 1 << 16;
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        if (!a.live || a.given != launch_count() || address < a.low) continue;
        const long long index = static_cast<long long>(address - a.low) / a.item;
        if (index < TURN && index >= TURN - A_FEW) return &a;
    }
    return nullptr;
}

void report_out_of_bounds(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    if (!heap_base) return;  // nothing was ever asked for: a null pointer, say, which crashes
    w.suspect = address;
    put_late_reads(w);  // what the same line has touched before may be what it means
    const Allocation& owner = owner_of(address - heap_base);
    if (owner.freed) {
        Finding("use-after-free", pc).form(!owner.made_file ? "unknown" : in_graph() ? "graph" : "known").code_at(pc)
            .other_at(Site(owner.made_file, owner.made_line)).here().array("variable", owner.name).add();
        return;
    }
    const Allocation* wrapped = w.launch ? wrapped_from(address) : nullptr;
    const Allocation* a = wrapped ? wrapped : meant(w, address, pc);
    long long item = a ? a->item : 1;
    long long size = a ? static_cast<long long>(a->high - a->low) / item : 0;
    long long offset = a ? static_cast<long long>(address - a->low) : 0;
    long long index = element(offset, item), past = index - size + 1;
    long long last = (offset + bytes - 1) / item;  // the element at the access's other end
    bool across = size && bytes > item && index < size && last >= size && offset >= 0;
    const char* side = wrapped ? "wrapped" : !size ? "nowhere" : offset < 0 ? "before" : across ? "across" : "after";
    Finding(flags & WRITES ? "out-of-bounds-write" : "out-of-bounds-read", pc, a ? static_cast<uint64_t>(a - allocations) : 0)
        .form(flags & WRITES ? "write" : "read", side).code_at(pc).other_at(a ? Site(a->made_file, a->made_line) : Site(nullptr, 0))
        .here().array("variable", a ? name_of(*a) : "")
        .number("index", index).number("size", size).number("distance", past).number("bytes", bytes).number("last", last)
        .number("held", size * item).number("pitch", a ? static_cast<long long>(a->pitch) : 0)
        .sentence("advice", a && a->pitch ? "advice-pitch" : past == 1 ? "advice-last" : "advice-tail").add();
}

void report_outside_symbol(Worker& w, const Allocation& a, uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    w.suspect = address;
    const long long item = a.item > 1 ? a.item : bytes;  // nobody says the type
    const long long size = static_cast<long long>(a.high - a.low) / item, offset = static_cast<long long>(address - a.low);
    const long long index = element(offset, item), past = index - size + 1, last = (offset + bytes - 1) / item;
    const char* side = offset < 0 ? "before" : address < a.high ? "across" : "after";
    Finding(flags & WRITES ? "out-of-bounds-write" : "out-of-bounds-read", pc, static_cast<uint64_t>(&a - allocations))
        .form(flags & WRITES ? "write" : "read", side).code_at(pc).here().array("variable", a.name)
        .number("index", index).number("size", size).number("distance", past).number("bytes", bytes).number("last", last)
        .number("held", static_cast<long long>(a.high - a.low)).number("offset", offset)
        .sentence("advice", past == 1 ? "advice-last" : "advice-tail").add();
    if (flags & WRITES) stop_launch(ERROR_ILLEGAL_ADDRESS);
}

// What lies on another thread's stack: only a pointer that this thread has stored somewhere leads there.
void report_foreign_local(Worker& w, uintptr_t address, bool writes, uintptr_t pc) {
    const int stack = static_cast<int>((address - reinterpret_cast<uintptr_t>(w.stacks)) / (GUARD_BYTES + STACK_BYTES));
    Finding f("foreign-local", pc);
    f.code_at(pc).here().sentence("does", writes ? "writes" : "reads").form("ended");
    for (int rank = 0; rank < w.launch->threads; rank++)
        if (w.threads[rank].stack == stack && warp_of(w, static_cast<unsigned>(rank)).alive >> rank % WARP & 1)
            f.form("live").thread("other_thread", static_cast<unsigned>(rank));
    f.add();
}

void report_out_of_bounds_shared(uint32_t offset, int bytes, unsigned flags, uintptr_t pc) {
    const SharedArray* a = shared_nearest(offset);
    long long item = a ? a->item : 1, size = a ? a->bytes : 0, in = offset - static_cast<long long>(a ? a->offset : 0);
    long long first = element(in, item), last = (in + bytes - 1) / item;
    const char* side = in < 0 ? "before" : bytes > item && first < size / item ? "across" : "";
    Finding(flags & WRITES ? "out-of-bounds-shared-write" : "out-of-bounds-shared-read", pc, a ? a->offset : 0)
        .form(flags & WRITES ? "write" : "read", side).code_at(pc).here().array("variable", a ? a->name : "")
        .number("inner", a ? a->columns : 0).number("middle", a ? a->rows : 0)
        .number("index", first).number("distance", -first).number("size", size / item).number("bytes", bytes).number("last", last)
        .number("held", size).number("item", item).add();
}

void report_misaligned(uintptr_t address, int bytes, uintptr_t pc, const char* name) {
    Finding("misaligned-access", pc).form(bytes > 4 ? "vector" : "element").code_at(pc).here().array("variable", name).number("bytes", bytes)
        .number("past", static_cast<long long>(address % bytes)).add();
    stop_launch(ERROR_MISALIGNED_ADDRESS);
}

// Of a variable of the program: which one it is meant for, if it leaves it.
static bool is_of_variable(Worker& w, const Access& a) {
    const Allocation* beside = a.buffer && a.is_within() ? nullptr : symbol_beside(a.address, a.bytes, a.writes());
    if (beside) report_outside_symbol(w, *beside, a.address, a.bytes, a.flags, a.pc);
    else if (!a.buffer && (a.writes() || in_host_argument(a.address))) report_host_pointer(w, a.address, a.writes(), a.pc);
    return !beside && a.buffer;
}

inline __attribute__((always_inline)) bool BoundsChecker::access(Worker& w, Access& a) {
    switch (a.space) {
    case Space::GLOBAL:
        if (__builtin_expect(!a.is_within(), 0)) return report_out_of_bounds(w, a.address, a.bytes, a.flags, a.pc), false;
        if (__builtin_expect(!a.is_aligned(), 0)) report_misaligned(a.address, a.bytes, a.pc, name_of(*a.buffer));
        return true;
    case Space::SHARED:
    case Space::OTHER_BLOCK:
        if (__builtin_expect(!a.is_within(), 0)) return report_out_of_bounds_shared(a.offset, a.bytes, a.flags, a.pc), false;
        if (__builtin_expect(!a.is_aligned(), 0)) report_misaligned(a.address, a.bytes, a.pc, a.array()->name);
        return true;
    case Space::LOCAL:
        if (a.address - w.own_stack >= GUARD_BYTES + STACK_BYTES) report_foreign_local(w, a.address, a.writes(), a.pc);
        return false;
    case Space::VARIABLE:
        if (!is_of_variable(w, a)) return false;
        if (__builtin_expect(!a.is_aligned(), 0)) report_misaligned(a.address, a.bytes, a.pc, a.buffer->name);
        return true;
    case Space::HOST: break;
    }
    report_host_pointer(w, a.address, a.writes(), a.pc);
    return false;
}

// Where races are not looked for nobody else has anything to say.
template <int bytes, unsigned flags>
inline __attribute__((always_inline)) bool BoundsChecker::settles(Worker& w, Access& a) {
    return !(a.on & RACES) && (a.space == Space::GLOBAL || (a.is_within() && !w.copies_under_way));
}
}  // namespace __ok

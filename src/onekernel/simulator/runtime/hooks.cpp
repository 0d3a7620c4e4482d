// What compiled kernels call before each access to memory: the symbols that -fsanitize=thread refers to, ours instead
// of libtsan's. The return address tells the source line.
#include <cstring>

#include "checks/async.h"
#include "checks/bounds.h"
#include "checks/happens_before.h"
#include "checks/late_reads.h"
#include "checks/plain_words.h"
#include "checks/race.h"
#include "checks/touched.h"
#include "counters/lockstep.h"
#include "counters/moved.h"
#include "hooks.h"
#include "libraries/work.h"
#include "machine/launch.h"
#include "machine/less.h"
#include "machine/resident_blocks.h"
#include "machine/state.h"
#include "memory/host_memory.h"
#include "memory/memory.h"
#include "memory/sparse.h"
#include "report/findings.h"

namespace __ok {
unsigned options = 0;

// Of several cores, where bounds alone are checked.
static inline void touch(Allocation& a, unsigned flags) {
    const uint8_t as = !(flags & WRITES) ? READ : flags & ATOMIC ? READ | WRITTEN : WRITTEN;
    if ((__atomic_load_n(&a.touched, __ATOMIC_RELAXED) & as) != as) __atomic_fetch_or(&a.touched, as, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    Worker* w = worker;
    if (__builtin_expect(!w || !w->current, 0)) {
        if (__builtin_expect(library_depth, 0)) note_library_access(address, bytes, flags & WRITES);
        return;
    }
    uintptr_t offset = address - heap_base;
    if (offset < HEAP_BYTES) {
        Allocation& a = owner_of(offset);
        if (__builtin_expect(address < a.low || address + bytes > a.high, 0)) {
            report_out_of_bounds(*w, address, bytes, flags, pc);
            return;
        }
        if (__builtin_expect(address & (bytes - 1), 0)) report_misaligned(address, bytes, pc, name_of(a));
        if (options & RACES) {
            if (a.reads_late) {
                if (!flags && !w->resident && log_late_read(*w, address, bytes, pc)) {
                    a.loaded += bytes;
                    a.depends = true;
                    return;
                }
                if (flags & (WRITES | ATOMIC)) {
                    put_late_reads(*w);
                    a.reads_late = false;
                }
            }
            // Every access is one of 1, 2, 4, 8 or 16 bytes: what is larger, or of another size, comes in such pieces.
            if (__builtin_expect(!a.shadow, 0)) {
                touch(a, flags);
            } else if ((flags & (ATOMIC | VOLATILE)) == ATOMIC) {
                touch(a, flags);
                a.updated += bytes;
            } else if (flags & WRITES) {
                a.stored += bytes;
                mark_bits(a.write_bits, address - a.base, bytes, a.unique_stored);
                if (!(flags & VOLATILE)) w->fenced[w->rank] = 0;
            } else {
                a.loaded += bytes;
                if (!a.depends) a.depends = !a.stored || !all_marked(a.write_bits, address - a.base, bytes);
                mark_bits(a.read_bits, address - a.base, bytes, a.unique_loaded);
            }
            if (__builtin_expect(a.shadow != nullptr, 1))
                check_global(*w, a, address, bytes, flags, pc);
        } else {
            touch(a, flags);
            if (options & SPARSE) {
                if (flags & ATOMIC) w->launch->talks = true;  // several blocks add to an element
                note_sparse(*w, a, address, bytes, flags & WRITES);
            }
            if (options & COUNTS) note_moved(*w, a, address, bytes, flags);
        }
        if (options & COUNTS && !(flags & UNCOUNTED)) log_access(*w, address, bytes, flags, pc, false);
        return;
    }
    uintptr_t in_arena = address - reinterpret_cast<uintptr_t>(w->arena);
    if (in_arena < ARENA_BYTES) {
        uint32_t at = static_cast<uint32_t>(in_arena);
        const SharedArray* s = shared_at(at);
        if (__builtin_expect(!s || at + bytes > s->offset + s->bytes, 0)) {
            report_out_of_bounds_shared(at, bytes, flags, pc);
            return;
        }
        if (__builtin_expect(address & (bytes - 1), 0)) report_misaligned(address, bytes, pc, s->name);
        if (__builtin_expect(w->copies_under_way, 0) && meets_copy(*w, s, at, bytes, flags & WRITES, pc)) {
        } else if (options & RACES) {
            ShadowWord* shadow = __builtin_expect(w->shadow != nullptr, 1) ? w->shadow : shared_shadow(*w);
            if (!shadow) {
            } else if (__builtin_constant_p(bytes) && bytes == 4 && !(address & 3)) {
                check_shared_word(*w, Place{nullptr, s, at}, shadow, address, flags, pc);
            } else {
                check_shared(*w, Place{nullptr, s, at}, shadow, address, reinterpret_cast<uintptr_t>(w->arena), bytes, flags, pc);
            }
        }
        if (options & COUNTS && !(flags & UNCOUNTED)) log_access(*w, in_arena, bytes, flags, pc, true);
        return;
    }
    if (address - reinterpret_cast<uintptr_t>(w->stacks) < STACKS_BYTES) {  // a thread's own variables, or another's
        if (__builtin_expect(!in_own_stack(*w, address), 0)) report_foreign_local(*w, address, flags & WRITES, pc);
        return;
    }
    if (address - symbols_low < symbols_high - symbols_low) {
        if (options & SPARSE) w->launch->talks = true;
        Allocation* a = symbol_at(address);
        if (const Allocation* s = a && address + bytes <= a->high ? nullptr : symbol_beside(address, bytes, flags & WRITES)) {
            report_outside_symbol(*w, *s, address, bytes, flags, pc);
            return;
        }
        // A variable of the host, by its address.
        if (!a && (flags & WRITES || (in_host_argument(address)))) report_host_pointer(*w, address, flags & WRITES, pc);
        if (!a) return;
        if (__builtin_expect(address & (bytes - 1), 0)) report_misaligned(address, bytes, pc, a->name);
        if (__builtin_expect(a->unset, 0) && !(flags & WRITES)) tell_unset(*a, address, bytes, pc);
        touch(*a, flags);
        if (!(options & RACES)) return;
        if (a->item == 1) a->item = bytes;  // nobody says the type: its elements are what is accessed at once
        if (!a->shadow && !make_shadow(*a)) return;
        check_global(*w, *a, address, bytes, flags, pc);
        return;
    }
    if (w->resident && access_distributed_shared(*w, address, bytes, flags, pc)) return;
    report_host_pointer(*w, address, flags & WRITES, pc);
}

// Where bounds alone are checked most accesses end here, without a frame of their own: those to a live allocation, to a shared
// array or to a thread's own variable, of which everything else is known. Of the others `access` says what they are.
template <int bytes, unsigned flags>
static inline __attribute__((always_inline)) bool is_within_bounds(uintptr_t address) {
    if (options & (RACES | COUNTS | SPARSE) || address & (bytes - 1)) return false;
    const Worker* w = worker;
    if (!w || !w->current) return false;
    if (uintptr_t offset = address - heap_base; offset < HEAP_BYTES) {
        const Allocation& a = owner_of(offset);
        constexpr uint8_t as = flags & WRITES ? WRITTEN : READ;
        return address >= a.low && address + bytes <= a.high && (a.touched & as);
    }
    if (uintptr_t in_arena = address - reinterpret_cast<uintptr_t>(w->arena); in_arena < ARENA_BYTES) {
        const SharedArray* s = shared_at(static_cast<uint32_t>(in_arena));
        return s && in_arena + bytes <= s->offset + s->bytes && !w->copies_under_way;
    }
    return false;
}
// A thread's own variables are nobody else's, and nothing is asked of them: most accesses of a kernel that keeps arrays.
static inline __attribute__((always_inline)) bool is_own(uintptr_t address) {
    const Worker* w = worker;
    return w && w->current && in_own_stack(*w, address);
}
template <int bytes, unsigned flags>
[[gnu::noinline]] static void judge_access(uintptr_t address, uintptr_t pc) { access(address, bytes, flags, pc); }
// Where races are looked for, most end here: plain accesses to shared memory that meet no other, within bounds because the word
// was written.
template <int bytes, unsigned flags>
[[gnu::noinline]] static void judge_plain_access(uintptr_t address, uintptr_t pc) {
    Worker* w = worker;
    if (w && w->current && w->plain && !w->copies_under_way && !is_unsettled()) {
        const uintptr_t at = address - reinterpret_cast<uintptr_t>(w->arena);
        if (at < ARENA_BYTES && !(at & (bytes - 1))) {
            const uint32_t word = static_cast<uint32_t>(at);
            if (flags & WRITES ? written_plainly<bytes>(*w, word, pc) || begun_plainly<bytes>(*w, word, pc) : read_plainly<bytes>(*w, word, pc)) {
                if (options & COUNTS) log_access(*w, at, bytes, flags, pc, true);
                return;
            }
        }
    }
    judge_access<bytes, flags>(address, pc);
}
template <int bytes, unsigned flags>
static inline __attribute__((always_inline)) void hook(uintptr_t address, uintptr_t pc) {
    if (is_own(address)) return;
    if (options & RACES && bytes >= 4) judge_plain_access<bytes, flags>(address, pc);
    else if (!is_within_bounds<bytes, flags>(address)) judge_access<bytes, flags>(address, pc);
}

// All the others, which are rarer, share one copy of it.
[[gnu::noinline]] static void judge_rare_access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    access(address, bytes, flags, pc);
}
void rare_access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    if (!is_own(address)) judge_rare_access(address, bytes, flags, pc);
}

bool asynchronous_write(Worker& w, uintptr_t address, int bytes, uintptr_t pc) {
    if (!options) return true;
    uintptr_t in_arena = address - reinterpret_cast<uintptr_t>(w.arena);
    uint32_t at = static_cast<uint32_t>(in_arena);
    const SharedArray* s = in_arena < ARENA_BYTES ? shared_at(at) : nullptr;
    rare_access(address, bytes, WRITES | UNCOUNTED, pc);  // ncu counts the copy as a load alone
    return s && at + bytes <= s->offset + s->bytes;
}

void atomic_access(Worker& w, uintptr_t address, int bytes, bool writes, uintptr_t pc) {
    if (!options) return;
    rare_access(address, bytes, (writes ? unsigned(WRITES) : 0u) | ATOMIC, pc);
    if (options & RACES) synchronise(w, address, writes);
}

void plain_write(Worker&, uintptr_t address, int bytes, uintptr_t pc) {
    if (options) rare_access(address, bytes, WRITES, pc);
}

void texture_access(Worker&, uintptr_t address, int bytes, bool writes, uintptr_t pc) {
    if (!options) return;
    rare_access(address, bytes, (writes ? unsigned(WRITES) : 0u) | UNCOUNTED, pc);
}

// A struct without a vector type's alignment is moved word by word in global memory. Shared arrays nvcc aligns itself, and
// moves such a struct by 8 or 16 bytes where its size is a multiple (seen in the code of CUDA 13.0 for sm_90).
void access_range(uintptr_t address, size_t bytes, unsigned flags, uintptr_t pc) {
    if (is_own(address) && (!bytes || is_own(address + bytes - 1))) return;
    Worker* w = worker;
    int widest = 4;
    if (w && w->current && address - reinterpret_cast<uintptr_t>(w->arena) < ARENA_BYTES / 2)
        widest = !((address | bytes) % 16) ? 16 : !((address | bytes) % 8) ? 8 : 4;
    while (bytes) {
        int piece = bytes >= 4 && address % 4 == 0 ? widest : bytes >= 2 && address % 2 == 0 ? 2 : 1;
        rare_access(address, piece, flags, pc);
        address += piece;
        bytes -= piece;
    }
}
}  // namespace __ok

#define HOOKS(N)                                                                                      \
    extern "C" void __tsan_read##N(void* p) { __ok::hook<N, 0>(ADDRESS, PC); }                            \
    extern "C" void __tsan_write##N(void* p) { __ok::hook<N, __ok::WRITES>(ADDRESS, PC); }                 \
    extern "C" void __tsan_read_write##N(void* p) {                                                   \
        __ok::hook<N, 0>(ADDRESS, PC);                                                                   \
        __ok::hook<N, __ok::WRITES>(ADDRESS, PC);                                                         \
    }                                                                                                 \
    extern "C" void __tsan_unaligned_read##N(void* p) { __ok::access_range(ADDRESS, N, 0, PC); }         \
    extern "C" void __tsan_unaligned_write##N(void* p) { __ok::access_range(ADDRESS, N, __ok::WRITES, PC); } \
    extern "C" void __tsan_unaligned_read_write##N(void* p) {                                         \
        __ok::access_range(ADDRESS, N, 0, PC);                                                          \
        __ok::access_range(ADDRESS, N, __ok::WRITES, PC);                                                 \
    }                                                                                                 \
    extern "C" void __tsan_volatile_read##N(void* p) { __ok::volatile_access(ADDRESS, N, 0, PC); }       \
    extern "C" void __tsan_volatile_write##N(void* p) { __ok::volatile_access(ADDRESS, N, __ok::WRITES, PC); } \
    extern "C" void __tsan_unaligned_volatile_read##N(void* p) { __ok::volatile_access(ADDRESS, N, 0, PC); } \
    extern "C" void __tsan_unaligned_volatile_write##N(void* p) { __ok::volatile_access(ADDRESS, N, __ok::WRITES, PC); }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit(void*) {}
void __tsan_vptr_update(void* p, void* table) {
    __ok::note_table(table);
    __ok::rare_access(ADDRESS, 8, __ok::WRITES, PC);
}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* p, long n) { __ok::access_range(ADDRESS, n, 0, PC); }
void __tsan_write_range(void* p, long n) { __ok::access_range(ADDRESS, n, __ok::WRITES, PC); }
void* __tsan_memcpy(void* p, const void* from, size_t n) {
    uintptr_t a = reinterpret_cast<uintptr_t>(from);
    bool whole = n == 8 || n == 16;
    if (whole && a % n == 0) __ok::rare_access(a, static_cast<int>(n), 0, PC);
    else __ok::access_range(a, n, 0, PC);
    if (whole && ADDRESS % n == 0) __ok::rare_access(ADDRESS, static_cast<int>(n), __ok::WRITES, PC);
    else __ok::access_range(ADDRESS, n, __ok::WRITES, PC);
    return memcpy(p, from, n);
}
void* __tsan_memmove(void* p, const void* from, size_t n) {
    __ok::access_range(reinterpret_cast<uintptr_t>(from), n, 0, PC);
    __ok::access_range(ADDRESS, n, __ok::WRITES, PC);
    return memmove(p, from, n);
}
void* __tsan_memset(void* p, int value, size_t n) {
    __ok::access_range(ADDRESS, n, __ok::WRITES, PC);
    return memset(p, value, n);
}
}

// What compiled kernels call before each access to memory: the symbols that -fsanitize=thread refers to, ours instead
// of libtsan's. The return address tells the source line.
#include <cstring>

#include "checkers/list.h"
#include "hooks.h"
#include "libraries/work.h"
#include "machine/resident_blocks.h"
#include "machine/state.h"
#include "memory/memory.h"

namespace __ok {
unsigned options = 0;

// What the access is and whose memory it touches is found here, once; then each checker is told, of that kind of memory: the
// commonest are asked for first, and are code of their own.
[[gnu::noinline]] static void access_elsewhere(Worker& w, Access a) {
    if (a.address - reinterpret_cast<uintptr_t>(w.stacks) < STACKS_BYTES) {
        a.space = Space::LOCAL;
    } else if (a.address - symbols_low < symbols_high - symbols_low) {
        a.space = Space::VARIABLE;
        a.buffer = symbol_at(a.address);
    } else if (w.resident && a.address - reinterpret_cast<uintptr_t>(w.resident->arenas) < w.resident->size * ARENA_BYTES) {
        const uintptr_t in_arenas = a.address - reinterpret_cast<uintptr_t>(w.resident->arenas);
        a.space = Space::OTHER_BLOCK;
        a.member = static_cast<int>(in_arenas / ARENA_BYTES);
        a.offset = static_cast<uint32_t>(in_arenas % ARENA_BYTES);
    }
    Checkers::access(w, a);
}

static inline __attribute__((always_inline)) void access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    Worker* w = worker;
    if (__builtin_expect(!w || !w->current, 0)) {
        if (__builtin_expect(library_depth, 0)) note_library_access(address, bytes, flags & WRITES);
        return;
    }
    if (uintptr_t in_heap = address - heap_base; in_heap < HEAP_BYTES) {
        Access a{address, bytes, flags, pc, options, Space::GLOBAL, &owner_of(in_heap)};
        Checkers::access(*w, a);
    } else if (uintptr_t in_arena = address - reinterpret_cast<uintptr_t>(w->arena); in_arena < ARENA_BYTES) {
        Access a{address, bytes, flags, pc, options, Space::SHARED, nullptr, static_cast<uint32_t>(in_arena)};
        Checkers::access(*w, a);
    } else {
        access_elsewhere(*w, {address, bytes, flags, pc, options, Space::HOST});
    }
}

// A thread's own variables are nobody else's, and nothing is asked of them: most accesses of a kernel that keeps arrays.
static inline __attribute__((always_inline)) bool is_own(const Worker* w, uintptr_t address) {
    return w && address - w->own_stack < GUARD_BYTES + STACK_BYTES;
}
// What is not settled shares one copy of all that may be asked, of words of any size.
[[gnu::noinline]] static void judge_rare_access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    access(address, bytes, flags, pc);
}
template <int bytes, unsigned flags>
[[gnu::noinline]] static void judge_access(uintptr_t address, uintptr_t pc) {
    if constexpr (bytes < 4) access(address, bytes, flags, pc);
    // A struct of 16 bytes, of doubles or pointers say, needs an address that 8 divides: two accesses. g++ has no other hook for
    // it than for a vector, so this is so only in a program that names no type which 16 must divide (rewrite/__init__.py).
    else if (bytes == 16 && address % 16 == 8 && options & HALVES)
        for (uintptr_t half : {address, address + 8}) judge_rare_access(half, 8, flags, pc);
    else judge_rare_access(address, bytes, flags, pc);
}

// `known`: the options that are on, of each mode with code of its own, in which nothing is left to ask of them.
template <int bytes, unsigned flags, unsigned known>
[[gnu::noinline]] static void judge_global(uintptr_t address, uintptr_t pc) {
    const uintptr_t in_heap = address - heap_base;
    if (in_heap >= HEAP_BYTES) return judge_access<bytes, flags>(address, pc);
    Access a{address, bytes, flags, pc, known, Space::GLOBAL, &owner_of(in_heap)};
    if (!a.is_within() || !Checkers::settles<bytes, flags>(*worker, a)) judge_access<bytes, flags>(address, pc);
}
template <int bytes, unsigned flags, unsigned known>
static inline __attribute__((always_inline)) void judge(Worker& w, uintptr_t address, uintptr_t pc) {
    const uintptr_t in_arena = address - reinterpret_cast<uintptr_t>(w.arena);
    if (in_arena >= ARENA_BYTES) return judge_global<bytes, flags, known>(address, pc);
    Access a{address, bytes, flags, pc, known, Space::SHARED, nullptr, static_cast<uint32_t>(in_arena)};
    if (!Checkers::settles<bytes, flags>(w, a)) judge_access<bytes, flags>(address, pc);
}
template <int bytes, unsigned flags, unsigned known>
[[gnu::noinline]] static void judge_counted(uintptr_t address, uintptr_t pc) { judge<bytes, flags, known>(*worker, address, pc); }
// In the modes check and bounds most are settled here, without a frame of their own: those to shared memory.
template <int bytes, unsigned flags>
static inline __attribute__((always_inline)) void hook(uintptr_t address, uintptr_t pc) {
    Worker* w = worker;
    if (is_own(w, address)) return;
    if (!w || address & (bytes - 1)) judge_access<bytes, flags>(address, pc);
    else if (w->asked == RACES) judge<bytes, flags, BOUNDS | RACES>(*w, address, pc);
    else if (!w->asked) judge<bytes, flags, BOUNDS>(*w, address, pc);
    else if (w->asked == (RACES | COUNTS)) judge_counted<bytes, flags, BOUNDS | RACES | COUNTS>(address, pc);
    else if (w->asked == NO_THREAD_RUNS) judge_access<bytes, flags>(address, pc);
    else if (w->asked == COUNTS) judge_counted<bytes, flags, BOUNDS | COUNTS>(address, pc);
    else judge_access<bytes, flags>(address, pc);
}

void rare_access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    if (!is_own(worker, address)) judge_rare_access(address, bytes, flags, pc);
}

bool asynchronous_write(Worker& w, uintptr_t address, int bytes, uintptr_t pc) {
    if (!options) return true;
    uintptr_t in_arena = address - reinterpret_cast<uintptr_t>(w.arena);
    uint32_t at = static_cast<uint32_t>(in_arena);
    const SharedArray* s = in_arena < ARENA_BYTES ? shared_at(at) : nullptr;
    rare_access(address, bytes, WRITES | OF_COPY, pc);
    return s && at + bytes <= s->offset + s->bytes;
}

bool asynchronous_write(Worker&, const Worker& owner, uint32_t offset, int bytes, bool counted, uintptr_t pc) {
    const SharedArray* s = shared_at(offset);
    if (options) rare_access(reinterpret_cast<uintptr_t>(owner.arena) + offset, bytes, WRITES | (counted ? OF_COPY : UNCOUNTED), pc);
    return !options || (s && offset + bytes <= s->offset + s->bytes);
}

void atomic_access(Worker& w, uintptr_t address, int bytes, bool writes, uintptr_t pc) {
    if (!options) return;
    rare_access(address, bytes, (writes ? unsigned(WRITES) : 0u) | ATOMIC, pc);
    Checkers::tell([&](auto c) { c.synchronised(w, address, writes); });
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
    Worker* w = worker;
    if (is_own(w, address) && (!bytes || is_own(w, address + bytes - 1))) return;
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
        __ok::rare_access(ADDRESS, N, 0, PC);                                                           \
        __ok::rare_access(ADDRESS, N, __ok::WRITES, PC);                                                  \
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

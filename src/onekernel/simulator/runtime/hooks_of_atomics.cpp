// The hooks of atomics, and of what is one without the name: a volatile access.
#include <algorithm>

#include "checkers/list.h"
#include "hooks.h"
#include "machine/state.h"
#include "memory/access.h"
#include "memory/memory.h"
#include "report/findings.h"

namespace __ok {
static inline __attribute__((always_inline)) void atomic_access(const volatile void* p, int bytes, unsigned flags, uintptr_t pc) {
    Worker* w = worker;
    if (!w || !w->current || !options) {
        if (w && w->current && ++w->spins > 64) give_way(*w);
        return;
    }
    uintptr_t address = reinterpret_cast<uintptr_t>(p);
    if (++w->spins > 64) give_way(*w);
    rare_access(address, bytes, flags | ATOMIC, pc);
    Checkers::tell([&](auto c) { c.synchronised(*w, address, flags & WRITES); });
}
extern "C" void ok_atomic(const volatile void* p, int bytes, bool writes, Site, bool of_block) {
    const unsigned flags = (writes ? unsigned(WRITES) : 0u) | (of_block ? unsigned(OF_BLOCK) : 0u);
    atomic_access(p, bytes, flags, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}
extern "C" void ok_atomic_compare(const volatile void* p, int bytes, Site, bool of_block) {
    const unsigned flags = WRITES | COMPARES | (of_block ? unsigned(OF_BLOCK) : 0u);
    atomic_access(p, bytes, flags, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}
// Two negative floats whose bits are compared as an int: the smaller one is the greater there.
extern "C" void ok_negative_bits(const char* form) {
    if (!options || !worker->current) return;
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    Finding("negative-bits", pc).form(form).code_at(pc).here().add();
}
extern "C" void ok_atomic_ordered(const volatile void* p, int bytes, AtomicKind kind, int releases) {
    Worker* w = worker;
    static constexpr unsigned FLAGS[] = {VOLATILE, WRITES | VOLATILE, WRITES, WRITES | COMPARES};
    const unsigned flags = FLAGS[kind];
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    if (!w || !w->current || !releases) {
        atomic_access(p, bytes, flags, pc);
        return;
    }
    const uint32_t before = w->fenced[w->rank];
    w->fenced[w->rank] = std::max<uint32_t>(before, releases > 1 ? FENCED_DEVICE : FENCED_BLOCK);
    atomic_access(p, bytes, flags, pc);
    w->fenced[w->rank] = before;
}

// A volatile access to global memory may be a flag that another thread sets: an atomic without its name. In shared
// memory it is what code from before Volta used in place of __syncwarp: no order at all.
void volatile_access(uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    Worker* w = worker;
    if (!w || !w->current) return;
    bool global = address - heap_base < HEAP_BYTES || symbol_at(address);
    if (++w->spins > 64) give_way(*w);
    rare_access(address, bytes, flags | (global ? unsigned(ATOMIC) | VOLATILE : 0u), pc);
    if (global) Checkers::tell([&](auto c) { c.synchronised(*w, address, flags & WRITES); });
}
}  // namespace __ok

// The compiler turns __atomic builtins into these. The check was made by ok_atomic: only the operation remains.
// Under a sanitizer g++ knows these names as its own, with other types: ours are given by label.
#define OK_HOOK(RESULT, NAME, PARAMETERS)                            \
    extern "C" RESULT hook_##NAME PARAMETERS __asm__("__tsan_" #NAME); \
    extern "C" RESULT hook_##NAME PARAMETERS

#define ATOMIC_HOOKS(BITS, T) \
    OK_HOOK(T, atomic##BITS##_load, (const volatile T* p, int)) { return __atomic_load_n(p, 5); } \
    OK_HOOK(void, atomic##BITS##_store, (volatile T* p, T v, int)) { __atomic_store_n(p, v, 5); } \
    OK_HOOK(T, atomic##BITS##_exchange, (volatile T* p, T v, int)) { return __atomic_exchange_n(p, v, 5); } \
    OK_HOOK(T, atomic##BITS##_fetch_add, (volatile T* p, T v, int)) { return __atomic_fetch_add(p, v, 5); } \
    OK_HOOK(T, atomic##BITS##_fetch_sub, (volatile T* p, T v, int)) { return __atomic_fetch_sub(p, v, 5); } \
    OK_HOOK(T, atomic##BITS##_fetch_and, (volatile T* p, T v, int)) { return __atomic_fetch_and(p, v, 5); } \
    OK_HOOK(T, atomic##BITS##_fetch_or, (volatile T* p, T v, int)) { return __atomic_fetch_or(p, v, 5); } \
    OK_HOOK(T, atomic##BITS##_fetch_xor, (volatile T* p, T v, int)) { return __atomic_fetch_xor(p, v, 5); } \
    OK_HOOK(T, atomic##BITS##_fetch_nand, (volatile T* p, T v, int)) { return __atomic_fetch_nand(p, v, 5); } \
    OK_HOOK(int, atomic##BITS##_compare_exchange_strong, (volatile T* p, T* c, T v, int, int)) { \
        return __atomic_compare_exchange_n(p, c, v, false, 5, 5); \
    } \
    OK_HOOK(int, atomic##BITS##_compare_exchange_weak, (volatile T* p, T* c, T v, int, int)) { \
        return __atomic_compare_exchange_n(p, c, v, false, 5, 5); \
    } \
    OK_HOOK(T, atomic##BITS##_compare_exchange_val, (volatile T* p, T c, T v, int, int)) { \
        __atomic_compare_exchange_n(p, &c, v, false, 5, 5); \
        return c; \
    }
ATOMIC_HOOKS(8, uint8_t)
ATOMIC_HOOKS(16, uint16_t)
ATOMIC_HOOKS(32, uint32_t)
ATOMIC_HOOKS(64, uint64_t)
extern "C" void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(5); }
extern "C" void __tsan_atomic_signal_fence(int) {}

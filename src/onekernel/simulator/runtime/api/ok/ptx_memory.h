// ld, st, atom, red, cp.async.
#pragma once
#include "async_copy.h"
#include "atomics.h"
#include "ptx_addresses.h"
#include "ptx_arithmetic.h"

namespace __ok {
namespace ptx {

enum Order_ { PLAIN, VOLATILE, RELAXED, ACQUIRE, RELEASE };

template <class T, int count>
struct Whole {
    T part[count];
};
template <class T>
using Aliased __attribute__((may_alias)) = T;

// One access for all `count` numbers.
template <class T, int count, Order_ order>
OK_ALWAYS void load(T* to, const void* from, OK_AT) {
    constexpr size_t size = count * sizeof(T);
    if constexpr (order == RELAXED || order == ACQUIRE) {
        ok_atomic(from, size, false, at);
        typedef Word<T> __attribute__((may_alias)) Bits;
        to[0] = bit_cast<T>(static_cast<Word<T>>(__atomic_load_n(static_cast<const Bits*>(from), __ATOMIC_SEQ_CST)));
    } else if constexpr (order == VOLATILE) {
        typedef Word<T> __attribute__((may_alias)) Bits;
        for (int i = 0; i < count; ++i) to[i] = bit_cast<T>(static_cast<Word<T>>(static_cast<const volatile Bits*>(from)[i]));
    } else if constexpr (size == 16) {
        Word16 word = *static_cast<const Word16*>(from);
        OK_WHOLE(word);
        __builtin_memcpy(to, &word, size);
    } else {
        typedef typename WordOf<size>::type __attribute__((may_alias)) Bits;
        const typename WordOf<size>::type word = *static_cast<const Bits*>(from);
        __builtin_memcpy(to, &word, size);
    }
}
template <class T, int count, Order_ order>
OK_ALWAYS void store(void* to, const T* from, OK_AT) {
    constexpr size_t size = count * sizeof(T);
    if constexpr (order == RELAXED || order == RELEASE) {
        if (order == RELEASE) ok_fence(1, at);
        ok_atomic(to, size, true, at);
        typedef Word<T> __attribute__((may_alias)) Bits;
        __atomic_store_n(static_cast<Bits*>(to), bits(from[0]), __ATOMIC_SEQ_CST);
    } else if constexpr (order == VOLATILE) {
        typedef Word<T> __attribute__((may_alias)) Bits;
        for (int i = 0; i < count; ++i) static_cast<volatile Bits*>(to)[i] = bits(from[i]);
    } else if constexpr (size == 16) {
        Word16 word;
        __builtin_memcpy(&word, from, size);
        OK_WHOLE(word);
        *static_cast<Word16*>(to) = word;
    } else {
        typedef typename WordOf<size>::type __attribute__((may_alias)) Bits;
        typename WordOf<size>::type word;
        __builtin_memcpy(&word, from, size);
        *static_cast<Bits*>(to) = word;
    }
}

// Operations of atom and red; each gives what was there.
template <class T, bool release, class F>
OK_ALWAYS T atomically(void* address, F operation, Site at) {
    if (release) ok_fence(1, at);
    ok_atomic(address, sizeof(T), true, at);
    return update(static_cast<T*>(address), operation);
}
#define OK_ATOMIC(name, expression)                                                                  \
    template <class T, bool release>                                                                 \
    OK_ALWAYS T atomic_##name(void* address, T value, OK_AT) {                                       \
        return atomically<T, release>(address, [=](T old) -> T { return expression; }, at);          \
    }
OK_ATOMIC(add, op_add(old, value))
OK_ATOMIC(min, op_min(old, value))
OK_ATOMIC(max, op_max(old, value))
OK_ATOMIC(and, op_and(old, value))
OK_ATOMIC(or, op_or(old, value))
OK_ATOMIC(xor, op_xor(old, value))
OK_ATOMIC(exch, (static_cast<void>(old), value))
OK_ATOMIC(inc, old >= value ? T(0) : T(old + 1))
OK_ATOMIC(dec, old == 0 || old > value ? value : T(old - 1))
#undef OK_ATOMIC
template <class T, bool release>
OK_ALWAYS T atomic_cas(void* address, T expected, T value, OK_AT) {
    return atomically<T, release>(address, [=](T old) -> T { return old == expected ? value : old; }, at);
}

// cp.async of `size` bytes, of which `taken` are read and the rest is zero.
template <int size, int least>
OK_ALWAYS void cp_async(void* to, const void* from, int taken, OK_AT) {
    static_assert((size == 4 || size == 8 || size == 16) && size >= least, "ok-copy-size");
    copy_async(to, from, size, taken, at);
}
OK_ALWAYS void cp_async_wait_all() {
    ok_copies_closed();
    ok_copies_waited(0);
}

OK_ALWAYS void cp_async_mbarrier_arrive(void* object, bool counted, OK_AT) { ok_copies_arrive(object, counted, at); }

}  // namespace ptx
}  // namespace __ok

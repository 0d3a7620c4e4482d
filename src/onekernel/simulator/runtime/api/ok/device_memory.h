// Loads and stores with a cache hint: on a CPU plain accesses, one for a whole vector. And the other odds and ends of
// device code: clocks, traps, sleep.
#pragma once
#include <time.h>

#include "core.h"
#include "bits.h"

namespace __ok {
template <class T>
struct Exactly {
    typedef T type;
};

// A 16-byte vector moves through one 16-byte word, which clang is kept from splitting, so that it counts as one access.
typedef long long Word16 __attribute__((vector_size(16), may_alias));
template <class T>
OK_ALWAYS T load(const T* address) {
    if constexpr (sizeof(T) == 16 && alignof(T) == 16) {
        Word16 word = *reinterpret_cast<const Word16*>(address);
        OK_WHOLE(word);
        return bit_cast<T>(word);
    } else {
        return *address;
    }
}
template <class T>
OK_ALWAYS void store(T* address, T value) {
    if constexpr (sizeof(T) == 16 && alignof(T) == 16) {
        Word16 word = bit_cast<Word16>(value);
        OK_WHOLE(word);
        *reinterpret_cast<Word16*>(address) = word;
    } else {
        *address = value;
    }
}
}  // namespace __ok

#define OK_LOAD(name)                    \
    template <class T>                   \
    OK_ALWAYS T name(const T* address) { \
        return __ok::load(address);        \
    }
OK_LOAD(__ldca)
OK_LOAD(__ldcg)
OK_LOAD(__ldcs)
OK_LOAD(__ldlu)
OK_LOAD(__ldcv)
#undef OK_LOAD

template <class T>
OK_ALWAYS T __ldg(const T* address, OK_AT) {
    __ok::ok_read_only(address, sizeof(T), at);
    return __ok::load(address);
}

#define OK_STORE(name)                                                     \
    template <class T>                                                     \
    OK_ALWAYS void name(T* address, typename __ok::Exactly<T>::type value) { \
        __ok::store(address, value);                                         \
    }
OK_STORE(__stwb)
OK_STORE(__stcg)
OK_STORE(__stcs)
OK_STORE(__stwt)
#undef OK_STORE

// Address spaces: a pointer as an address within one, and back.
OK_ALWAYS size_t __cvta_generic_to_shared(const void* pointer) { return __ok::ok_shared_address(pointer); }
OK_ALWAYS void* __cvta_shared_to_generic(size_t address, OK_AT) { return __ok::ok_shared_pointer(address, at); }
OK_ALWAYS size_t __cvta_generic_to_global(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
OK_ALWAYS void* __cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
OK_ALWAYS size_t __cvta_generic_to_constant(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
OK_ALWAYS void* __cvta_constant_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
OK_ALWAYS size_t __cvta_generic_to_local(const void* pointer) { return reinterpret_cast<size_t>(pointer); }
OK_ALWAYS void* __cvta_local_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
OK_ALWAYS unsigned __isShared(const void* pointer) { return __ok::ok_in_shared(pointer); }
OK_ALWAYS unsigned __isGlobal(const void* pointer) { return __ok::ok_device_find(pointer, nullptr, nullptr); }

OK_ALWAYS long long clock64() { return __ok::ok_clock(); }
OK_ALWAYS void __nanosleep(unsigned) {}
OK_ALWAYS void __trap(OK_AT) { __ok::trap("__trap", at); }
#define __builtin_assume(condition) static_cast<void>(0)
#define __assume(condition) static_cast<void>(0)
OK_ALWAYS void __brkpt() {}
OK_ALWAYS void __prof_trigger(int) {}

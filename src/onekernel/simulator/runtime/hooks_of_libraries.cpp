// The hooks of what libraries do with memory: their own code has none.
#include <cstring>

#include "hooks.h"
#include "libraries/work.h"
#include "machine/state.h"
#include "memory/access.h"
#include "memory/memory.h"

// What memcpy and its kin are called in a learner's file (api/cuda_runtime.h).
static void touched(const void* p, size_t n, bool writes, uintptr_t pc) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(p);
    if (__ok::worker && __ok::worker->current) __ok::access_range(address, n, writes ? __ok::WRITES : 0, pc);
    else if (__ok::library_depth) __ok::note_library_access(address, n, writes);
}
extern "C" {
void* ok_memcpy(void* p, const void* from, size_t n) {
    touched(from, n, false, PC);
    touched(p, n, true, PC);
    return memcpy(p, from, n);
}
void* ok_memmove(void* p, const void* from, size_t n) {
    touched(from, n, false, PC);
    touched(p, n, true, PC);
    return memmove(p, from, n);
}
void* ok_memset(void* p, int value, size_t n) {
    touched(p, n, true, PC);
    return memset(p, value, n);
}
}

// Functions of the mathematics library that leave a result behind a pointer: its code has no hooks.
#define OK_RESULT(T, NAME, R, PARAMETERS, ...)                                                           \
    extern "C" T __real_##NAME PARAMETERS;                                                               \
    extern "C" T __wrap_##NAME PARAMETERS {                                                              \
        if (__ok::worker && __ok::worker->current) __ok::rare_access(ADDRESS, sizeof(R), __ok::WRITES, PC); \
        return __real_##NAME(__VA_ARGS__);                                                               \
    }
OK_RESULT(double, modf, double, (double x, double* p), x, p)
OK_RESULT(float, modff, float, (float x, float* p), x, p)
OK_RESULT(double, frexp, int, (double x, int* p), x, p)
OK_RESULT(float, frexpf, int, (float x, int* p), x, p)
OK_RESULT(double, remquo, int, (double x, double y, int* p), x, y, p)
OK_RESULT(float, remquof, int, (float x, float y, int* p), x, y, p)
#define OK_RESULTS(T, NAME)                                                      \
    extern "C" void __real_##NAME(T, T*, T*);                                    \
    extern "C" void __wrap_##NAME(T x, T* p, T* other) {                         \
        if (__ok::worker && __ok::worker->current) {                             \
            __ok::rare_access(ADDRESS, sizeof(T), __ok::WRITES, PC);                  \
            __ok::rare_access(reinterpret_cast<uintptr_t>(other), sizeof(T), __ok::WRITES, PC); \
        }                                                                        \
        __real_##NAME(x, p, other);                                              \
    }
OK_RESULTS(double, sincos)
OK_RESULTS(float, sincosf)
// Those that read a text, and make a number of what it says.
#define OK_OF_TEXT(T, NAME)                                                             \
    extern "C" T __real_##NAME(const char*);                                            \
    extern "C" T __wrap_##NAME(const char* p) {                                         \
        if (__ok::worker && __ok::worker->current)                                      \
            for (const char* at = p;; at++) {                                           \
                __ok::rare_access(reinterpret_cast<uintptr_t>(at), 1, 0, PC);           \
                if (!*at) break;                                                        \
            }                                                                           \
        return __real_##NAME(p);                                                        \
    }
OK_OF_TEXT(double, nan)
OK_OF_TEXT(float, nanf)

// What nvcc includes before a .cu file's first line: the machine, its types, the host API, math, memory and atomics.
#pragma once
// libstdc++'s mark of C++17's special functions (std::beta) as read. The compiler would instantiate them again for each
// file: a third of the time that a small one takes. What names one includes ok/special_functions.h.
#define _GLIBCXX_BITS_SPECFUN_H 1
// A kernel's copies are accesses like others: the C library's code would have no hooks.
extern "C" {
void* memcpy(void*, const void*, __SIZE_TYPE__) noexcept __asm__("ok_memcpy");
void* memmove(void*, const void*, __SIZE_TYPE__) noexcept __asm__("ok_memmove");
void* memset(void*, int, __SIZE_TYPE__) noexcept __asm__("ok_memset");
#if defined __SANITIZE_THREAD__ && !defined __clang__
// g++ moves and sets a constant number of bytes in place, and puts no hook before it: only of what is one access, which it
// has from a copy of 1, 2, 4, 8 or 16 bytes.
void* ok_memcpy(void*, const void*, __SIZE_TYPE__) noexcept;
void* ok_memmove(void*, const void*, __SIZE_TYPE__) noexcept;
void* ok_memset(void*, int, __SIZE_TYPE__) noexcept;
#define OK_IN_PLACE extern inline __attribute__((always_inline, gnu_inline)) void*
OK_IN_PLACE memcpy(void* to, const void* from, __SIZE_TYPE__ n) noexcept {
    return __builtin_constant_p(n) && n <= 16 && !(n & (n - 1)) ? __builtin_memcpy(to, from, n) : ok_memcpy(to, from, n);
}
OK_IN_PLACE memmove(void* to, const void* from, __SIZE_TYPE__ n) noexcept { return ok_memmove(to, from, n); }
OK_IN_PLACE memset(void* to, int value, __SIZE_TYPE__ n) noexcept { return ok_memset(to, value, n); }
#undef OK_IN_PLACE
#endif
}
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ok/core.h"

#include <assert.h>

// For the learner's files alone: libstdc++ 13 and later spell an attribute so in <string>, which the runtime includes.
// What learners include of it stands in bits/.
#define __noinline__ __attribute__((noinline))

// One compilation serves host and device; code that asks is told what the device is.
#define __CUDA_ARCH__ OK_ARCH

#include "cuda_runtime_api.h"
#include "math_constants.h"
#include "ok/atomics.h"
#include "ok/device_memory.h"
#include "ok/math_functions.h"
#include "ok/math_integer.h"
#include "ok/shown.h"
#include "ok/texture_functions.h"
#include "vector_functions.h"

// The C library's functions that a GPU does not have, declared once more to be marked.
#define OK_LIBRARY(NAME) OK_LIBRARY_HOST_ONLY decltype(NAME) NAME;
#if defined(__clang__)  // no mark for those that glibc's headers define: atof, atoi, atol, putchar
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-attributes"
#endif
extern "C" {
OK_LIBRARY(abort) OK_LIBRARY(atof) OK_LIBRARY(atoi) OK_LIBRARY(atol) OK_LIBRARY(calloc) OK_LIBRARY(drand48) OK_LIBRARY(exit) OK_LIBRARY(fclose) OK_LIBRARY(fflush) OK_LIBRARY(fopen)
OK_LIBRARY(fprintf) OK_LIBRARY(fputs) OK_LIBRARY(fwrite) OK_LIBRARY(getenv) OK_LIBRARY(memmove) OK_LIBRARY(putchar) OK_LIBRARY(puts) OK_LIBRARY(qsort) OK_LIBRARY(rand) OK_LIBRARY(realloc)
OK_LIBRARY(snprintf) OK_LIBRARY(sprintf) OK_LIBRARY(srand) OK_LIBRARY(sscanf) OK_LIBRARY(strcmp) OK_LIBRARY(strtol) OK_LIBRARY(system) OK_LIBRARY(time)
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
#undef OK_LIBRARY
#undef _GLIBCXX_BITS_SPECFUN_H
// <cmath>, which nvcc includes, brings std::min, std::max and std::swap by way of them.
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#endif

// The C library's assert, and inside a kernel the simulator's: a finding, then the launch ends with cudaErrorAssert.
// No `#pragma once`: each inclusion follows NDEBUG as it is then.
#include_next <assert.h>
#include "ok/core.h"

#ifndef NDEBUG
#undef assert
#define assert(expression)                                                          \
    (static_cast<bool>(expression) ? static_cast<void>(0)                           \
     : ::__ok::ok_in_kernel()        ? ::__ok::assert_failed(#expression, ::__ok::Site()) \
                                   : __assert_fail(#expression, __FILE__, __LINE__, __func__))
#endif

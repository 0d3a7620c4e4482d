// __pipeline_memcpy_async and its kin: cp.async from C (CUDA C++ Programming Guide, "Pipeline Primitives Interface").
#pragma once
#include "cuda_runtime.h"
#include "ok/async_copy.h"

// The last `zero_fill` of `size` bytes are zeroed instead of copied. `size` is 4, 8 or 16 and both sides are aligned to
// it.
OK_ALWAYS void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zero_fill = 0, OK_AT) {
    if ((size != 4 && size != 8 && size != 16) || zero_fill > size)
        __ok::trap("__pipeline_memcpy_async of a size that is not 4, 8 or 16", at);
    __ok::copy_async(to, from, size, size - zero_fill, at);
}
OK_ALWAYS void __pipeline_commit() { __ok::ok_copies_closed(); }
OK_ALWAYS void __pipeline_wait_prior(size_t prior) { __ok::ok_copies_waited(static_cast<unsigned>(prior)); }

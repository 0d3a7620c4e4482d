// Names that cuda::barrier, cuda::pipeline and memcpy_async share.
#pragma once
#include "../ok/core.h"

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A number of bytes whose addresses are promised to be aligned.
template <size_t alignment_>
struct aligned_size_t {
    static constexpr size_t align = alignment_;
    size_t value;
    constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
    constexpr operator size_t() const { return value; }
};

// The alignment that a size promises; 1: none.
OK_INLINE constexpr size_t promised(size_t) { return 1; }
template <size_t alignment>
OK_INLINE constexpr size_t promised(aligned_size_t<alignment>) {
    return alignment;
}

}  // namespace cuda

// shfl, elect, named barriers.
#pragma once
#include "ptx_values.h"

namespace __ok {
namespace ptx {

// shfl.sync's fourth operand: in bits 0 to 4 the last lane, in bits 8 to 12 the segment's mask.
template <Collective mode>
OK_ALWAYS uint32_t shfl(uint32_t value, uint32_t by, uint32_t clamp, uint32_t mask, bool& inside, OK_AT) {
    const unsigned segment = clamp >> 8 & 31, last = clamp & 31, me = lane();
    const int most = static_cast<int>((me & segment) | (last & ~segment)), first = static_cast<int>(me & segment);
    const int delta = static_cast<int>(by & 31), self = static_cast<int>(me);
    const int source = mode == SHFL_UP ? self - delta : mode == SHFL_DOWN ? self + delta
                       : mode == SHFL_XOR ? self ^ delta : first | (delta & ~static_cast<int>(segment));
    inside = mode == SHFL_UP ? source >= most : source <= most;
    return static_cast<uint32_t>(ok_collective(SHFL_IDX, mask, value, inside ? source : self, 32, 4, nullptr, at));
}
// The lowest lane of the mask that is there.
OK_ALWAYS uint32_t elect(uint32_t mask, OK_AT) {
    const uint32_t there = static_cast<uint32_t>(ok_collective(BALLOT, mask, 1, 0, 32, 4, nullptr, at));
    return static_cast<uint32_t>(__builtin_ctz(there));
}
OK_ALWAYS void bar_sync(unsigned barrier, OK_AT) {
    ok_named_barrier(barrier, 0, true, at);
}
OK_ALWAYS void bar_sync(unsigned barrier, unsigned threads, OK_AT) { ok_named_barrier(barrier, threads, true, at); }
OK_ALWAYS void bar_arrive(unsigned barrier, unsigned threads, OK_AT) { ok_named_barrier(barrier, threads, false, at); }

OK_ALWAYS void mbarrier_init(void* object, uint32_t count, OK_AT) { ok_mbarrier_init(object, count, at); }
OK_ALWAYS void mbarrier_inval(void* object, OK_AT) { ok_mbarrier_inval(object, at); }
OK_ALWAYS uint64_t mbarrier_arrive(void* object, uint32_t count, long long bytes, bool drops, OK_AT) {
    return ok_mbarrier_arrive(object, count, bytes, drops, at);
}
OK_ALWAYS bool mbarrier_wait(void* object, uint64_t phase, bool parity, bool waits, OK_AT) {
    return ok_mbarrier_wait(object, phase, parity, waits, at);
}
// st.async: a store that tells the mbarrier how many bytes have come.
template <class T, int count>
OK_ALWAYS void store_async(void* to, const T* values, void* object, OK_AT) {
    ok_store_async(to, values, count * sizeof(T), object, at);
}
OK_ALWAYS void cluster_arrive(OK_AT) { ok_blocks_arrive(CLUSTER, false, at); }
OK_ALWAYS void cluster_wait(OK_AT) { ok_blocks_wait_last(CLUSTER, at); }

}  // namespace ptx
}  // namespace __ok

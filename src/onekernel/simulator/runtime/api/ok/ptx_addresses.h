// Addresses of PTX: in the window of shared memory they count from the block's first byte; in that of a cluster the block's
// rank, plus 1, stands above them; without one an address is the block's own.
#pragma once
#include "ptx_values.h"

namespace __ok {
namespace ptx {

constexpr unsigned RANK_SHIFT = 24;

OK_ALWAYS void* generic_pointer(uint64_t address) { return reinterpret_cast<void*>(address); }
OK_ALWAYS void* shared_pointer(uint64_t address, OK_AT) { return ok_shared_pointer(address, at); }
OK_ALWAYS void* cluster_pointer(uint64_t address, OK_AT) { return ok_shared_pointer(address, at); }
OK_ALWAYS uint64_t shared_to_generic(uint64_t address, OK_AT) {
    return reinterpret_cast<uint64_t>(ok_shared_pointer(address, at));
}
OK_ALWAYS uint64_t generic_to_shared(uint64_t address) { return ok_shared_address(reinterpret_cast<void*>(address)); }
OK_INLINE ClusterPlace cluster() {
    ClusterPlace place;
    ok_cluster(&place);
    return place;
}
OK_INLINE uint32_t cluster_blocks() {
    const ClusterPlace place = cluster();
    return place.blocks.x * place.blocks.y * place.blocks.z;
}
OK_ALWAYS uint64_t map_rank(uint64_t address, uint32_t rank) { return uint64_t(rank + 1) << RANK_SHIFT | (address & ((1u << RANK_SHIFT) - 1)); }
OK_ALWAYS uint32_t rank_of(uint64_t address) {
    return address >> RANK_SHIFT ? static_cast<uint32_t>(address >> RANK_SHIFT) - 1 : cluster().rank;
}
OK_ALWAYS uint32_t dynamic_shared_bytes() { return ok_dynamic_shared_bytes(); }

}  // namespace ptx
}  // namespace __ok

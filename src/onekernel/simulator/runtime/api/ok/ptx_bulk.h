// cp.async.bulk: what one thread asks the copy engine for.
#pragma once
#include "ptx_addresses.h"

namespace __ok {
namespace ptx {

template <int rank>
struct Place {
    int32_t at[rank];
};

OK_ALWAYS void bulk_load(void* to, const void* from, uint32_t bytes, void* object, uint32_t blocks, OK_AT) {
    ok_bulk_load(to, from, bytes, object, blocks, at);
}
OK_ALWAYS void bulk_store(void* to, const void* from, uint32_t bytes, OK_AT) { ok_bulk_store(to, from, bytes, at); }
template <int rank>
OK_ALWAYS void tensor_load(void* to, const void* map, Place<rank> place, void* object, uint32_t blocks, OK_AT) {
    ok_tensor_load(to, map, place.at, rank, object, blocks, at);
}
template <int rank>
OK_ALWAYS void tensor_store(const void* map, Place<rank> place, const void* from, OK_AT) {
    ok_tensor_store(map, place.at, rank, from, at);
}
OK_ALWAYS void tensor_prefetch(const void* map, int rank, OK_AT) { ok_tensor_prefetch(map, rank, at); }

}  // namespace ptx
}  // namespace __ok

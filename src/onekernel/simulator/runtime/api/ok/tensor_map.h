// What a CUtensorMap holds: the driver keeps its own bits to itself, these are ours. memory/tensor_map.cpp writes them, and the copy
// engine of machine/bulk_copies.cpp reads them.
#pragma once
#include "runtime.h"

namespace __ok {
constexpr int MAX_TENSOR_RANK = 5;
struct TensorMap {
    uint64_t mark;                        // that it is one
    uint64_t base;
    uint64_t strides[MAX_TENSOR_RANK];    // bytes from element to element of each dimension, the innermost first
    uint32_t last[MAX_TENSOR_RANK];       // index of each dimension
    uint16_t box[MAX_TENSOR_RANK];        // elements of a box
    uint8_t rank, item, swizzle;          // bytes of an element; bits of an address that are changed, none to three
};
static_assert(sizeof(TensorMap) <= 128);
}  // namespace __ok

// With the driver's own parameters, enumerations as numbers; a CUresult.
extern "C" int ok_encode_tensor_map(void* map, int type, unsigned rank, void* base, const unsigned long long* sizes,
                                    const unsigned long long* strides, const unsigned* box, const unsigned* every, int interleave,
                                    int swizzle, int promotion, int fill);

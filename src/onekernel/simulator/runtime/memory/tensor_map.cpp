// A tensor as the host describes it to the copy engine. Source: CUDA Driver API, "Tensor Map Object Management".
#include "tensor_map.h"

#include <cstring>

#include "../report/findings.h"

namespace __ok {
namespace {
constexpr int CU_OK = 0, CU_INVALID = 1, CU_MISSING = 801;
constexpr uint64_t MARK = 0x70616d2d726f736eull;
constexpr uint8_t BYTES_OF[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};  // of a CUtensorMapDataType
constexpr long long MOST_BOX_BYTES = 228 << 10;  // of a box: an H200 takes so many, and no 240 KB (driver 580.159.04)
constexpr unsigned MOST_IN_BOX = 256, WIDEST = 32;  // bytes of a row of a box with the narrowest swizzle; each next has twice as many

int refuse(const char* form, uintptr_t pc, unsigned dimension, long long value, long long limit, int error = CU_INVALID) {
    Finding("bad-tensor-map", pc, static_cast<uint64_t>(form[0]) << 8 | static_cast<uint64_t>(form[1])).form(form).code_at(pc)
        .number("dimension", dimension).number("value", value).number("limit", limit).add();
    return error;
}
}  // namespace

const TensorMap* tensor_map_at(const void* at) {
    const TensorMap* map = static_cast<const TensorMap*>(at);
    return at && reinterpret_cast<uintptr_t>(at) % 64 == 0 && map->mark == MARK ? map : nullptr;
}

extern "C" void* ok_driver_function(const char* name) {
    return strcmp(name, "cuTensorMapEncodeTiled") ? nullptr : reinterpret_cast<void*>(ok_encode_tensor_map);
}
}  // namespace __ok

extern "C" __attribute__((visibility("default"))) int ok_encode_tensor_map(
    void* to, int type, unsigned rank, void* base, const unsigned long long* sizes, const unsigned long long* strides, const unsigned* box,
    const unsigned* every, int interleave, int swizzle, int, int fill) {
    using namespace __ok;
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0)), address = reinterpret_cast<uintptr_t>(base);
    if (!to || reinterpret_cast<uintptr_t>(to) % 64) return refuse("object", pc, 0, 0, 64);
    if (!sizes || !strides || !box || !every) return refuse("array", pc, 0, 0, 0);
    if (type < 0 || type >= static_cast<int>(sizeof BYTES_OF)) return refuse("type", pc, 0, type, 0);
    if (rank < 1 || rank > MAX_TENSOR_RANK) return refuse("rank", pc, 0, rank, MAX_TENSOR_RANK);
    if (interleave || fill) return refuse("unknown", pc, 0, 0, 0, CU_MISSING);
    if (swizzle < 0 || swizzle > 3) return refuse("unknown", pc, 0, 0, 0, CU_MISSING);
    if (!base || address % 16) return refuse("base", pc, 0, static_cast<long long>(address % 16), 16);
    TensorMap map{};
    map.mark = MARK;
    map.base = address;
    map.rank = static_cast<uint8_t>(rank);
    map.item = BYTES_OF[type];
    map.swizzle = static_cast<uint8_t>(swizzle);
    map.strides[0] = map.item;
    for (unsigned d = 0; d < rank; d++) {
        if (sizes[d] < 1 || sizes[d] > 1ull << 32) return refuse("size", pc, d, static_cast<long long>(sizes[d]), 1ll << 32);
        if (box[d] < 1 || box[d] > MOST_IN_BOX) return refuse("box", pc, d, box[d], MOST_IN_BOX);
        if (every[d] < 1 || every[d] > 8) return refuse("every", pc, d, every[d], 8);
        if (every[d] != 1) return refuse("unknown", pc, d, 0, 0, CU_MISSING);
        map.last[d] = static_cast<uint32_t>(sizes[d] - 1);
        map.box[d] = static_cast<uint16_t>(box[d]);
        if (!d) continue;
        if (strides[d - 1] % 16 || strides[d - 1] >= 1ull << 40) return refuse("stride", pc, d, static_cast<long long>(strides[d - 1]), 16);
        map.strides[d] = strides[d - 1];
    }
    const long long row = 1ll * box[0] * map.item, widest = swizzle ? 1ll * WIDEST << (swizzle - 1) : row;
    if (row % 16) return refuse("inner", pc, 0, row, 16);
    if (row > widest) return refuse("wide", pc, 0, row, widest);
    long long bytes = map.item;
    for (unsigned d = 0; d < rank; d++) bytes *= box[d];
    if (bytes > MOST_BOX_BYTES) return refuse("bytes", pc, 0, bytes, MOST_BOX_BYTES);
    memset(to, 0, 128);
    memcpy(to, &map, sizeof map);
    return CU_OK;
}

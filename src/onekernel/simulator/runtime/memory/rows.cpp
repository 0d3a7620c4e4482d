// Copies and fills of rows and planes: whether the pitch, the height and the depth that they are given fit their memory.
#include <tuple>

#include "../machine/launch.h"
#include "../report/findings.h"
#include "host_blocks.h"
#include "memory.h"

namespace __ok {
namespace {
constexpr int ERROR_INVALID_PITCH = 12;

Allocation* allocation_at(const void* p) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(p) - heap_base;
    Allocation* a = heap_base && offset < HEAP_BYTES ? &owner_of(offset) : nullptr;
    return a && a->live ? a : nullptr;
}

bool is_narrow(const RowsAt& rows, size_t width, const char* side, Site at) {
    if (width <= rows.pitch) return false;
    Finding("narrow-pitch", uint64_t(at.line)).form("narrow").at(at).sentence("side", side).number("width", static_cast<long long>(width))
        .number("pitch", static_cast<long long>(rows.pitch)).add();
    return true;
}

// Rows of cudaMallocPitch that are copied by the other side's pitch, and the other side's by theirs.
bool are_exchanged(const RowsAt& rows, const RowsAt& others, Site at) {
    Allocation* a = allocation_at(rows.first);
    if (!a || !a->pitch || rows.pitch == a->pitch || others.pitch != a->pitch) return false;
    Finding("exchanged-pitches", uint64_t(at.line)).at(at).array("variable", name_of(*a)).number("pitch", static_cast<long long>(a->pitch))
        .number("given", static_cast<long long>(rows.pitch)).add();
    a->initialised = true;  // what is missing in it now, it would have got
    return true;
}

// Only the last rows leave the memory in which the first one lies.
bool are_beyond(const RowsAt& rows, size_t width, size_t height, size_t depth, const char* side, Site at) {
    Allocation* a = allocation_at(rows.first);
    const size_t room = a ? a->high - reinterpret_cast<uintptr_t>(rows.first) : host_room(rows.first).bytes;
    const size_t needs = (depth - 1) * rows.plane + (height - 1) * rows.pitch + width;
    if (width > room || needs <= room || room == UNKNOWN_ROOM) return false;
    const bool planes = depth > 1 && (height - 1) * rows.pitch + width <= room;
    Finding("copy-out-of-bounds", uint64_t(at.line)).form(planes ? "planes" : "rows").at(at).sentence("side", side)
        .number("width", static_cast<long long>(width)).number("height", static_cast<long long>(height)).number("depth", static_cast<long long>(depth))
        .number("apart", static_cast<long long>(planes ? rows.plane : rows.pitch)).number("needs", static_cast<long long>(needs))
        .number("size", static_cast<long long>(room))
        .number("fit", static_cast<long long>(1 + (room - width) / (planes ? rows.plane : rows.pitch))).add();
    if (a) a->initialised = true;
    return true;
}
}  // namespace

extern "C" int ok_rows(const RowsAt* to, const RowsAt* from, size_t width, size_t height, size_t depth, Site at) {
    HostCall call;
    if (is_narrow(*to, width, "destination", at) || (from && is_narrow(*from, width, "source", at))) return ok_fail(ERROR_INVALID_PITCH);
    if (from && height > 1 && (are_exchanged(*to, *from, at) || are_exchanged(*from, *to, at))) return ok_fail(ERROR_INVALID_VALUE);
    if (are_beyond(*to, width, height, depth, "destination", at) || (from && are_beyond(*from, width, height, depth, "source", at)))
        return ok_fail(ERROR_INVALID_VALUE);
    return SUCCESS;
}

// The box of a cudaPitchedPtr is as wide as its pitch, and as high as its ysize.
extern "C" int ok_low_planes(size_t height, size_t rows, bool writes, Site at) {
    HostCall call;
    Finding("low-planes", uint64_t(at.line)).form("low").at(at).sentence("side", writes ? "destination" : "source")
        .number("height", static_cast<long long>(height)).number("rows", static_cast<long long>(rows)).add();
    return ok_fail(ERROR_INVALID_VALUE);
}
}  // namespace __ok

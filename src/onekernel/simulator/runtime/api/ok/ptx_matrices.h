// mma, ldmatrix, stmatrix, movmatrix.
#pragma once
#include "async_copy.h"
#include "ptx_addresses.h"
#include "warp_matrix.h"

namespace __ok {
namespace ptx {

// Fragments' registers from variables of 32 or 64 bits, and back.
template <class... W>
OK_ALWAYS void put(uint32_t* to, W... word) {
    size_t at = 0;
    ((__builtin_memcpy(to + at, &word, sizeof word), at += sizeof word / 4), ...);
}
template <class... W>
OK_ALWAYS void take(const uint32_t* from, W&&... word) {
    size_t at = 0;
    ((__builtin_memcpy(&word, from + at, sizeof word), at += sizeof word / 4), ...);
}
OK_ALWAYS void together(WarpMatrix& record, OK_AT) { ok_warp_matrix(&record, at); }

OK_ALWAYS WarpMatrix move_record(WarpMatrixWork work, int matrices, bool transposed, const char* name) {
    WarpMatrix record;
    record.work = work;
    record.m = static_cast<uint8_t>(matrices);
    record.n = record.k = 8;
    record.flag = transposed;
    record.of_a = record.of_b = record.of_c = record.of_d = Element::f16;
    record.name = name;
    return record;
}

// Lane 8 i + r gives the address of row r of matrix i.
template <int matrices>
OK_ALWAYS void ldmatrix(uint32_t* out, uint64_t address, bool transposed, OK_AT) {
    WarpMatrix record = move_record(LOAD_MATRICES, matrices, transposed, "ldmatrix");
    if (lane() < 8 * matrices) copy_piece(record.a, shared_pointer(address, at), 16);
    ok_warp_matrix(&record, at);
    for (int i = 0; i < matrices; ++i) out[i] = record.d[i];
}
template <int matrices>
OK_ALWAYS void stmatrix(const uint32_t* in, uint64_t address, bool transposed, OK_AT) {
    WarpMatrix record = move_record(STORE_MATRICES, matrices, transposed, "stmatrix");
    for (int i = 0; i < matrices; ++i) record.d[i] = in[i];
    ok_warp_matrix(&record, at);
    if (lane() < 8 * matrices) copy_piece(shared_pointer(address, at), record.a, 16);
}
OK_ALWAYS uint32_t movmatrix(uint32_t part, OK_AT) {
    WarpMatrix record = move_record(TRANSPOSE, 1, true, "movmatrix");
    record.d[0] = part;
    ok_warp_matrix(&record, at);
    return record.d[0];
}

}  // namespace ptx
}  // namespace __ok

// What a sample of a launch's blocks touches of tensors that are larger than memory: memory/sparse.cpp keeps it.
//
// Tells: nothing: what memory/sparse.cpp keeps
// Tests: test_sparse.py
#pragma once

#include "../memory/sparse.h"
#include "checker.h"

namespace __ok {
struct SparseTensorsChecker : Checker<SparseTensorsChecker> {
    static constexpr unsigned OPTIONS = SPARSE;
    static inline __attribute__((always_inline)) bool access(Worker& w, Access& a) {
        count_access();
        if (a.space == Space::VARIABLE) w.launch->talks = true;
        if (a.space != Space::GLOBAL || !a.is_within() || !a.is_aligned()) return true;
        if (a.flags & ATOMIC) w.launch->talks = true;  // several blocks add to an element
        note_sparse(w, *a.buffer, a.address, a.bytes, a.writes());
        return true;
    }
};
}  // namespace __ok

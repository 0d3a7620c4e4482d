// Reads of a __constant__ variable that neither its definition nor a copy has given a value.
//
// Tells: unset-constant
// Tests: unset_*
#pragma once

#include "checker.h"

namespace __ok {
struct UnsetConstantsChecker : Checker<UnsetConstantsChecker> {
    static inline __attribute__((always_inline)) bool access(Worker&, Access& a) {
        if (a.space == Space::VARIABLE && a.buffer->unset && !a.writes()) tell_unset(*a.buffer, a.address, a.bytes, a.pc);
        return true;
    }
};
}  // namespace __ok

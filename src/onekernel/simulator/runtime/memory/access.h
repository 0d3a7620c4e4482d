// What an access is and where it lies: for the checks, the counters and what is told of it.
#pragma once

#include "memory.h"

namespace __ok {
enum AccessFlag : uint8_t {
    WRITES = 1,
    ATOMIC = 2,
    VOLATILE = 4,  // ordered as an atomic, counted as none
    COMPARES = 8,  // an atomic that writes only where its thread knew the value: whoever has read an old one tries again
    UNCOUNTED = 16,  // checked, and no request
    OF_BLOCK = 32    // an atomic that is one among the threads of its block alone
};

struct Place {
    Allocation* global;         // or null
    const SharedArray* shared;  // or null
    uint32_t shared_offset;
    uint32_t owner = 0;         // of shared memory: the block's linear index + 1, if it is not the running one's
};
}  // namespace __ok

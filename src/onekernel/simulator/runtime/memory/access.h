// What an access is and where it lies: for the checkers and what is told of it.
#pragma once

#include "memory.h"

namespace __ok {
enum AccessFlag : uint8_t {
    WRITES = 1,
    ATOMIC = 2,
    VOLATILE = 4,  // ordered as an atomic, counted as none
    COMPARES = 8,  // an atomic that writes only where its thread knew the value: whoever has read an old one tries again
    UNCOUNTED = 16,  // checked, and no request
    OF_BLOCK = 32,   // an atomic that is one among the threads of its block alone
    OF_COPY = 64     // the write of an asynchronous copy: of its request ncu counts the bank conflicts alone
};

// Whose memory it is.
enum class Space : uint8_t {
    GLOBAL,         // what cudaMalloc gives
    SHARED,         // the running block's
    OTHER_BLOCK,    // shared memory of another block of the cluster
    LOCAL,          // a thread's own variables, or another thread's
    VARIABLE,       // __device__, __constant__ or __managed__, or of the host, in the program itself
    HOST
};

// An access of the running thread, of 1, 2, 4, 8 or 16 bytes: what is larger, or of another size, comes in such pieces.
struct Access {
    uintptr_t address;
    int bytes;
    unsigned flags;
    uintptr_t pc;                        // of the line that makes it
    unsigned on;                         // the Options that are, which a hook may know when it is compiled
    Space space;
    Allocation* buffer = nullptr;        // that owns this stretch of global memory; the variable, or null
    uint32_t offset = 0;                 // of shared memory: from the beginning of its block's
    int member = 0;                      // the other block
    bool late = false;                   // its shadow is put down later: checkers/late_reads.h
    bool explained = false;              // what is wrong with it has been told

    const SharedArray* array() const { return shared_at(offset); }  // of shared memory, or null
    bool writes() const { return flags & WRITES; }
    bool is_atomic() const { return (flags & (ATOMIC | VOLATILE)) == ATOMIC; }
    bool is_aligned() const { return !(address & static_cast<uintptr_t>(bytes - 1)); }
    bool is_within() const {
        if (buffer) return address >= buffer->low && address + static_cast<uintptr_t>(bytes) <= buffer->high;
        const SharedArray* a = array();
        return a && offset + static_cast<uint32_t>(bytes) <= a->offset + a->bytes;
    }
};

struct Place {
    Allocation* global;         // or null
    const SharedArray* shared;  // or null
    uint32_t shared_offset;
    uint32_t owner = 0;         // of shared memory: the block's linear index + 1, if it is not the running one's
};
}  // namespace __ok

// Asynchronous copies to shared memory. What is copied is read when the copy is asked for, which CUDA allows; it arrives when
// its thread waits for it, the latest that CUDA allows.
#pragma once
#include "device_memory.h"

namespace __ok {

typedef uint64_t __attribute__((may_alias)) Word8;
typedef uint32_t __attribute__((may_alias)) Word4;

// One access of `size` bytes on each side, as cp.async makes it: 4, 8 or 16; any other size goes byte by byte.
OK_ALWAYS void copy_piece(void* to, const void* from, size_t size) {
    switch (size) {
        case 16: *static_cast<Word16*>(to) = *static_cast<const Word16*>(from); break;
        case 8: *static_cast<Word8*>(to) = *static_cast<const Word8*>(from); break;
        case 4: *static_cast<Word4*>(to) = *static_cast<const Word4*>(from); break;
        default:
            for (size_t i = 0; i < size; ++i) static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
    }
}

// One asynchronous copy of `size` bytes, of which `taken` are read and the rest arrives as zeros.
OK_ALWAYS void copy_async(void* to, const void* from, size_t size, size_t taken, Site at) {
    alignas(16) char bytes[16];
    if (taken == size) {
        copy_piece(bytes, from, size);
    } else {
        Word16 zero = {};
        *reinterpret_cast<Word16*>(bytes) = zero;
        copy_piece(bytes, from, taken > size ? size : taken);
    }
    ok_copy_started(to, bytes, size, at);
}

// `size` bytes spread over a group's threads in the widest pieces that both addresses and the size allow, or that the caller
// has promised to: an alignment of 4 or more.
OK_ALWAYS void copy_by_group(unsigned rank, unsigned threads, void* to, const void* from, size_t size, size_t promised, Site at_line) {
    const uintptr_t addresses = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from);
    const uintptr_t bits = promised >= 4 ? promised : addresses | size;
    if (promised >= 4 && size % promised) trap("an asynchronous copy whose size is no multiple of its cuda::aligned_size_t", at_line);
    const size_t piece = bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
    for (size_t at = rank * piece; at < size; at += threads * piece)
        copy_async(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, piece, piece, at_line);
}

}  // namespace __ok

// Shadow memory: for each 4-byte word, who touched it last and which of its bytes were ever written.
#pragma once

#include <cstdint>

#include "../machine/state.h"
#include "../memory/access.h"

namespace __ok {
// One access to a word, as its shadow keeps it. No bit fields: an access is put together at every hook, and a processor waits
// for a byte that was just written into a word that it then reads.
struct __attribute__((packed, aligned(2))) Access {
    uint32_t block;         // linear index + 1; 0: none
    uint32_t time;          // Worker::time
    uint32_t where;         // in the code, and the thread: at()
    uint8_t bytes;          // which of the word's four
    uint8_t flags;
    static constexpr int THREAD_BITS = 10;
    uint32_t pc() const { return where >> THREAD_BITS; }  // offset from code_base(), 0 if it is beyond
    uint32_t thread() const { return where % (1 << THREAD_BITS); }
    static uint32_t at(uintptr_t pc, uint32_t thread) { return (pc < 1u << (32 - THREAD_BITS) ? static_cast<uint32_t>(pc) << THREAD_BITS : 0) | thread; }
};
static_assert(sizeof(Access) == 14 && MAX_THREADS_PER_BLOCK <= 1 << Access::THREAD_BITS);

// One per 4-byte word; one line of the cache. The accesses belong to launch `launch`. An atomic has a place of its own: among
// themselves atomics do no harm, so the last one says nothing about the plain accesses before it.
struct ShadowWord {
    uint32_t launch : 28;
    uint32_t init : 4;    // bytes that were ever written
    uint32_t init_block;  // shared memory: the block for which `init` holds
    Access writer, atomic, reader, reader2;
};
static_assert(sizeof(ShadowWord) == 64);

bool make_shadow(Allocation& a);   // false: there is no room for it, which is told once
void forget_shadow(Allocation& a);
ShadowWord* shared_shadow(Worker& w);  // or null, likewise
void mark_initialised(uintptr_t address, size_t bytes);
}  // namespace __ok

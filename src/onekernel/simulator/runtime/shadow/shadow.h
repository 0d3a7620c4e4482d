// Shadow memory: for each 4-byte word, who touched it last and which of its bytes were ever written.
#pragma once

#include <cstdint>

#include "../machine/state.h"
#include "../memory/access.h"

namespace __ok {
// One access to a word. No bit fields, and never copied as a whole: an access is put together at every hook, and a processor
// that reads back what was just written in other pieces waits for it.
struct WordAccess {
    uint32_t block;         // linear index + 1; 0: none
    uint32_t time;          // Worker::time
    uint32_t where;         // in the code, and the thread: at()
    uint8_t bytes;          // which of the word's four
    uint8_t flags;
    static constexpr int THREAD_BITS = 10;
    uint32_t pc() const { return where >> THREAD_BITS; }  // offset from text_base(), 0 if it is beyond 4 MB
    uint32_t thread() const { return where % (1 << THREAD_BITS); }
    static uint32_t at(uintptr_t pc, uint32_t thread) { return (pc < 1u << (32 - THREAD_BITS) ? static_cast<uint32_t>(pc) << THREAD_BITS : 0) | thread; }
};
static_assert(MAX_THREADS_PER_BLOCK <= 1 << WordAccess::THREAD_BITS);

// The same as a word's shadow keeps it.
struct __attribute__((packed, aligned(2))) KeptAccess {
    uint32_t block, time, where;
    uint8_t bytes, flags;
};

// Of which kind of access a word's last ones are kept. An atomic has a place of its own: among themselves atomics do no
// harm, so the last one says nothing about the plain accesses before it.
enum Last : uint8_t { WRITER, ATOMICS, READER, READER2 };

// One per 4-byte word; one line of the cache. The accesses belong to launch `launch`.
struct ShadowWord {
    uint32_t launch : 28;
    uint32_t init : 4;    // bytes that were ever written
    uint32_t init_block;  // shared memory: the block for which `init` holds
    KeptAccess last[4];

    // Nothing has touched it in this launch.
    void renew(uint32_t now) {
        launch = now;
        for (KeptAccess& a : last) a.block = 0;
        last[ATOMICS].where = 0;
    }
    unsigned initialised() const { return init; }
    WordAccess get(Last kind) const {
        const KeptAccess& a = last[kind];
        return {a.block, a.time, a.where, a.bytes, a.flags};
    }
    void put(Last kind, const WordAccess now) {
        KeptAccess& to = last[kind];
        to.block = now.block;
        to.time = now.time;
        to.where = now.where;
        to.bytes = now.bytes;
        to.flags = now.flags;
    }
    // Where the writer had read the word before, 0 if it had not: kept in the place of an atomic where there is none.
    uint32_t read_before() const {
        const WordAccess a = get(ATOMICS);
        return a.block || a.thread() != get(WRITER).thread() ? 0 : a.pc();
    }
    void wrote(unsigned bytes) { init |= bytes; }
    // A plain write: what touched no other bytes before is of no more account.
    void put_writer(const WordAccess now, uint32_t read_at) {
        put(WRITER, now);
        for (Last kind : {ATOMICS, READER, READER2})
            if (!(last[kind].bytes & ~now.bytes)) last[kind].block = 0;
        if (!last[ATOMICS].block) last[ATOMICS].where = WordAccess::at(read_at, now.thread());
    }
};
static_assert(sizeof(ShadowWord) == 64);

bool make_shadow(Allocation& a);   // false: there is no room for it, which is told once
void clear_touched_bytes(Allocation& a);  // makes room for them where there is no shadow
uint64_t touched_bytes(const Allocation& a, const uint8_t* bits);
void forget_shadow(Allocation& a);
void* shadow_pages(size_t bytes);  // or null: there is no room for so many
ShadowWord* shared_shadow(Worker& w);  // or null, likewise
void mark_initialised(uintptr_t address, size_t bytes);
void mark_lines(Allocation& a, uintptr_t offset, size_t bytes);  // the same for whole lines, from an offset of its base
bool is_initialised(const Allocation& a, uintptr_t offset);  // the byte at that offset from its base
}  // namespace __ok

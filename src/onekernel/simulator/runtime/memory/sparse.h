// Tensors far larger than this machine's memory: addresses are real, pages are taken as they are touched. An input holds a
// pattern that repeats, whose pages are there once; of an output it is known which bytes were written.
//
// Some blocks of a launch run: the first, the last, and others that no kernel can foresee. One that has had half of what is
// left is abandoned, and the next one has its turn: what is known of the launch then comes of several of them. What a block goes
// on doing must be work: as long as it lasts, it writes what nobody has written.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "memory.h"

namespace __ok {
constexpr uint64_t SAMPLED_BLOCKS = 64;         // of a launch with more: those that run
constexpr uint64_t ENOUGH_BLOCKS = 16;          // where each has much to do: in so many accesses, those to shared memory with them
constexpr uint64_t ENOUGH_VISITS = 100'000, ENOUGH_ACCESSES = 500'000;
constexpr uint64_t MOST_VISITS = 400'000;       // accesses of a launch
constexpr size_t MOST_PAGES = 40'000;           // that it touches: the first access to each costs up to 16 microseconds
constexpr size_t MOST_RUNS = 1 << 18;           // stretches of an output whose values are looked at
constexpr uint64_t LEAST_VISITS = 20'000;       // of a block that is abandoned for the next one
constexpr uint64_t WORK = 64;                   // accesses for each place that is written; in rows, whose threads may each read all of one,
constexpr uint16_t HELD = 512;                  // elements that a thread may read before it writes: its registers have room for no more
constexpr uint64_t READ_AGAIN = 8;              // some more for each element and each thread
constexpr size_t LARGEST_SUM = 4096;            // bytes of an answer that is made of all elements of the inputs

constexpr size_t LARGE_BYTES = size_t(64) << 20;  // of scratch memory, which is not filled then

struct Sparse {
    bool tensor = true;                         // one that the launcher was given, not scratch
    uint64_t row = 0;                           // elements of each of its rows, 0 where the whole is one
    uint64_t bins_read = 0, bins_written = 0;   // a bit for each 64th of the tensor
    std::vector<uint64_t> runs;                 // start, length, start, length...: bytes that were written
    std::unordered_set<uint64_t> read, written; // where, in this launch
    std::unordered_set<uint64_t> before;        // of an output, what was written in earlier ones
    uint64_t bytes_read = 0, bytes_written = 0; // there, each place once: who counts in float comes to few places, often
    uint64_t loaded = 0, stored = 0;            // of them by blocks that came to their end, or whose threads tell their share
    uint64_t read_before = 0, written_before = 0;  // the running block
    uint64_t read_by_others = 0, written_by_others = 0;  // before the running thread
};

struct Worker;
struct Launch;
struct RowsOf {
    size_t bytes, apart;  // of a row, and from the beginning of one to that of the next; 0 where the whole is one
};
// `draw`: which blocks run; the same for all tensors of a call.
int sparse_alloc(const char* name, const void* pattern, size_t period, size_t span, int item, bool writable, RowsOf rows, uint64_t draw);
bool make_sparse(Allocation& a);  // scratch memory of the call
void make_dense(Allocation& a);
void sparse_launch(Launch& launch);                       // before a launch
uint64_t sampled_blocks();               // how many of the launch's blocks run
uint64_t sampled_block(uint64_t turn);   // the turn'th of them: the first, the last, some between
void sparse_block_begins();
void sparse_copied();                                      // gigabytes, which no copy brings: what follows knows nothing
void sparse_block_ended(Launch& launch);
void sparse_launch_ended(Launch& launch);
uint64_t new_places();                                     // that the call has touched till now
void count_access();
bool is_left_half_way(const Launch& launch);  // and what blocks have stored meanwhile is not what they would have
void note_sparse(Worker& w, Allocation& a, uintptr_t address, int bytes, bool writes);
}  // namespace __ok

// Tensors far larger than this machine's memory: addresses are real, pages are taken as they are touched. An input holds a
// pattern that repeats, whose pages are there once; of an output it is known which bytes were written.
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

constexpr size_t LARGE_BYTES = size_t(64) << 20;  // of scratch memory, which is not filled then

struct Sparse {
    bool tensor = true;                         // one that the launcher was given, not scratch
    uint64_t row = 0;                           // elements of each of its rows, 0 where the whole is one
    uint64_t bins_read = 0, bins_written = 0;   // a bit for each 64th of the tensor
    std::vector<uint64_t> runs;                 // start, length, start, length...: bytes that were written
    std::unordered_set<uint64_t> read, written; // where, in this launch
    std::unordered_set<uint64_t> before;        // of an output, what was written in earlier ones
    uint64_t bytes_read = 0, bytes_written = 0; // there, each place once: who counts in float comes to few places, often
    uint64_t loaded = 0, stored = 0;            // of them by blocks that came to their end
};

struct Worker;
struct Launch;
struct RowsOf {
    size_t bytes, apart;  // of a row, and from the beginning of one to that of the next; 0 where the whole is one
};
int sparse_alloc(const char* name, const void* pattern, size_t period, size_t span, int item, bool writable, RowsOf rows);
bool make_sparse(Allocation& a);  // scratch memory of the call
void make_dense(Allocation& a);
void sparse_launch(Launch& launch);                       // before a launch
uint64_t sampled_block(const Launch& launch, uint64_t turn);  // the turn'th block to run: the first, the last, some between
void sparse_copied();                                      // gigabytes, which no copy brings: what follows knows nothing
void sparse_block_ended(Launch& launch);
void count_access();
bool is_left_half_way(const Launch& launch);  // and what blocks have stored meanwhile is not what they would have
void note_sparse(Worker& w, Allocation& a, uintptr_t address, int bytes, bool writes);
}  // namespace __ok

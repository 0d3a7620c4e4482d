// Who touched a word last, and whether the next to touch it is ordered after: races and reads of what nobody wrote.
#pragma once

#include <cstdint>

#include "memory.h"
#include "order.h"
#include "state.h"

namespace __ok {
enum AccessFlag : uint8_t { WRITES = 1, ATOMIC = 2, VOLATILE = 4 };  // VOLATILE: ordered as an atomic, counted as none

// One per 4-byte word; one line of the cache. The accesses belong to launch `launch`. An atomic has a place of its own: among
// themselves atomics do no harm, so the last one says nothing about the plain accesses before it.
struct Cell {
    uint32_t launch : 28;
    uint32_t init : 4;    // bytes that were ever written
    uint32_t init_block;  // shared memory: the block for which `init` holds
    Access writer, atomic, reader, reader2;
};
static_assert(sizeof(Cell) == 64);

// Where an access lies, for messages and counts.
struct Place {
    Allocation* global;         // or null
    const SharedArray* shared;  // or null
    uint32_t shared_offset;
    uint32_t owner = 0;         // of shared memory: the block's linear index + 1, if it is not the running one's
};

void make_cells(Allocation& a);
void forget_cells(Allocation& a);
Cell* shared_cells(Worker& w);
void mark_initialised(uintptr_t address, size_t bytes);
bool is_symbol(uintptr_t address, size_t bytes);
Allocation* symbol_at(uintptr_t address);
void add_symbol(const char* name, uintptr_t address, size_t bytes);

// Checks one access to `bytes` bytes at `address` against the cells that hold it.
void check_order(Worker& w, const Place& place, Cell* cells, uintptr_t address, uintptr_t base, int bytes, unsigned flags,
                 uintptr_t pc);
// A write that may have stored what was there already is judged when it has happened.
void settle(Worker& w);

// Events of the scheduler.
void block_started(Worker& w);
void block_ended(Worker& w);
void barrier_passed(Worker& w);
void thread_ended(Worker& w);
void warp_met(Worker& w, int warp, unsigned group);
void start_races();  // a launch begins
void forget_accesses();  // all threads of the grid have met: whatever was touched before is ordered before what follows
extern uintptr_t symbols_low, symbols_high;  // this shared object, which holds the __device__ variables
}  // namespace __ok

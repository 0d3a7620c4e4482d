// Blocks that are live together on one core: those of a cluster, or all of a cooperative launch. Each has a worker of its
// own, with its fibers and its shared memory; they take turns where all of a block's threads wait for other blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "../shadow/shadow.h"
#include "state.h"

namespace __ok {
// A barrier of several blocks.
struct BlockBarrier {
    unsigned phase = 0;     // how often it has been passed
    long missing = 0;       // live threads that have not arrived in this phase
    bool begun = false;     // a thread has arrived in this phase
    bool split = false;     // a thread has arrived in this phase without waiting at once
};

// One thread's part in the barriers of its cluster and of its grid.
struct Arrivals {
    unsigned arrived[2] = {}, met[2] = {};  // phases that it has arrived in, and those that it has waited for
    uint32_t times[2][2] = {};              // its block's time at its last two arrivals, by the phase's last bit
    int waits = -1;                         // the level that it waits at
};

// The last access from another block of the cluster to a block's shared memory.
struct RemoteAccess {
    bool live = false;
    WordAccess access;
    uintptr_t pc;
    const SharedArray* array;
    long long index;
};

struct ResidentBlock {
    Worker* worker = nullptr;
    std::vector<Arrivals> arrivals;  // by thread
    int waiting = 0;          // of its threads, for other blocks
    uint32_t met = 0;         // its block's time when the last barrier of several blocks was passed
    bool counted = false;     // as having come to the barrier that it waits at
    int spins = 0;            // turns that its threads gave each other in vain
    RemoteAccess remote;
};

struct ResidentBlocks {
    explicit ResidentBlocks(Launch& launch);
    ~ResidentBlocks();
    bool ready() const { return stacks; }  // false: there is no memory for so many threads
    void run(uint64_t first_cluster);      // from `first_cluster` on as many as are resident at once
    BlockBarrier& barrier(int level, int member) { return level == GRID ? grid : clusters[member / cluster_blocks]; }
    int member_of(uint64_t block) const;   // -1: not resident
    uint64_t block_of(int member) const;

    Launch& launch;
    int cluster_blocks, size;
    uint64_t first = 0;                    // the first member's cluster
    std::vector<ResidentBlock> members;
    std::vector<BlockBarrier> clusters;
    BlockBarrier grid;
    char *arenas = nullptr, *shadow = nullptr, *stacks = nullptr;
    int guards = 0;                        // stacks that have a guard page
};

int run_resident_blocks(Launch& launch);     // an error where memory does not suffice
int waiting_for_blocks(const Worker& w);     // threads of the block that wait for other blocks
bool waits_for_blocks(const Worker& w);      // some thread of the block waits for other blocks
bool blocks_take_turn(Worker& w);            // the block's threads only spin: another block may do what they wait for
void block_barrier_thread_left(Worker& w);
bool may_guard(Worker& w);                   // whether one more stack gets a guard page: a process has 65530 mappings
void count_barrier(Worker& block, Site at);  // it has come to a barrier of several blocks; without `at`, where it waits
void report_stuck(ResidentBlocks& resident);  // threads that no other will ever join at a barrier
void report_exited_block(const ResidentBlocks& resident, int member, const RemoteAccess& a);  // which may have returned
}  // namespace __ok

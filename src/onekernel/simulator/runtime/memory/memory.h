// Device memory: one reserved stretch of addresses that the CPU may touch only while a kernel runs or a copy is made.
#pragma once

#include <fenv.h>

#include <cstdint>
#include <string_view>

#include "../api/ok/runtime.h"

namespace __ok {
constexpr size_t HEAP_BYTES = size_t(128) << 30;   // of addresses, of which a process has 128 TB for all programs that it loads
constexpr size_t GRANULE = size_t(64) << 10;     // an allocation owns whole granules, so that a table finds it
constexpr size_t ARENA_BYTES = size_t(8) << 20;  // of one worker's shared memory, redzones included
constexpr size_t SHARED_GAP = 128;               // between shared arrays; a multiple of 128 keeps banks as they are
constexpr size_t SHARED_BEGIN = size_t(16) << 10;  // of the first one: what lies before it is nobody's
constexpr int MAX_ALLOCATIONS = 1 << 16;

struct Sparse;      // sparse.h: what is known of a tensor that is larger than memory
struct ShadowLine;  // shadow/shadow_line.h: what is known about 32 words of 4 bytes
struct ShadowWord;  // shadow/shadow.h: and about one

constexpr uint8_t READ = 1, WRITTEN = 2;
// All zero until it is used: the table of them takes no room in a build.
struct Allocation {
    uintptr_t low = 0, high = 0;     // the bytes that may be touched
    uintptr_t base = 0, end = 0;     // the whole allocation, guards included
    ShadowLine* lines = nullptr;     // one per 32 words from base, made when first needed
    ShadowWord* shadow = nullptr;    // one per word: of the lines that are kept word by word
    Sparse* sparse = nullptr;
    uint8_t* read_bits = nullptr;    // one per byte from base: touched in this launch
    uint8_t* write_bits = nullptr;
    uint64_t loaded = 0, stored = 0, unique_loaded = 0, unique_stored = 0, updated = 0;  // bytes, in this launch; by atomics
    const char* made_file = nullptr; // where it was asked for, or freed, if that is known
    int made_line = 0;
    int item = 0;                    // bytes of an element, for messages
    size_t pitch = 0;                // bytes from row to row, of cudaMallocPitch
    size_t filled = 0;               // bytes from its beginning that one copy or fill of the host's gave it, if it gave no others
    const char* filled_file = nullptr;
    int filled_line = 0;
    int given = 0;                   // the last launch that had a pointer into it as an argument, from 1
    uint8_t touched = 0;             // READ, WRITTEN: in this launch, in ways that the bytes above do not count
    bool depends = false;            // in this launch something was read that it had not written itself before
    bool live = false, freed = false;
    bool initialised = false;        // every byte was given a value by the host
    bool reads_late = false;         // and no thread of this launch has written it: checkers/late_reads.h
    bool unchecked = false;          // no room for its shadow: neither races nor first reads are seen
    bool managed = false;            // the host may touch it too
    bool pinned = false;             // it is the host's, page-locked: open to it at any time
    bool of_graph = false;           // a graph's: there for each of its launches
    bool symbol = false;             // a __device__ or __constant__ variable
    bool of_both = false;            // a __managed__ one
    bool unset = false;              // a __constant__ one, of which a part has no value
    char name[56] = {};              // behind what each access asks for
};

extern uintptr_t heap_base;
extern uint16_t granule_owner[HEAP_BYTES / GRANULE];
extern Allocation allocations[MAX_ALLOCATIONS];
extern int allocation_count;

inline Allocation& owner_of(uintptr_t heap_offset) { return allocations[granule_owner[heap_offset / GRANULE]]; }
// The live allocation nearest to an address of the heap, or null: of those that launch `given` was given, or of all.
const Allocation* nearest(uintptr_t address, int given = 0);

// Opens device memory to the CPU while it lives. `keeps`: nothing is written but by a launch.
struct Open {
    explicit Open(bool keeps = false);
    ~Open();
    bool worked = true;  // else the system has no room for so much

private:
    // What a computation tells beside its result, flags, rounding and errors, is the device's: the host finds its own again.
    fenv_t floats_;
    int error_, sign_of_gamma_;
};
void close_heap();  // whatever a fault has left open
void while_closed(void (*then)());  // nothing where it is open
int host_alloc(void** out, size_t bytes, const char* name, Site at, bool filled);  // what cudaMalloc does
int device_alloc(size_t bytes, size_t low, size_t high, const char* name, Allocation** out);
void device_release(Allocation& a);

// names.cpp
void name_arguments(const LaunchSite& site, const void* const* pointers, int count);
const char* name_of(const Allocation& a);  // that of the launches which were given it, or of the line that asked for it
struct Named {
    std::string_view name;
    long long index;
};
Named element_of(const Allocation& a, uintptr_t address);  // of it, or of a member that the launch was given
void note_table(const void* table);  // of virtual functions, that an object points to
void release_all(Site at);    // of what the host has asked for
void tell_leaks();     // what has been asked for and not freed
void start_traffic();  // clears the byte counts of all allocations

// managed.cpp
void open_managed();                            // to the host, unless work that was given it may still run
Allocation* managed_at(uintptr_t address);      // or null
void open_to_host(const Allocation& a);
void note_host_writes();                        // into managed memory of a program: those pages count as written
bool host_has_written(uintptr_t address);       // or read, or a kernel has: the page of managed memory is there
bool is_given_host_memory(int launch);          // a launch of this number has a pointer into what the host may touch, too
bool is_of_both(const void* pointer);           // managed memory, or a __managed__ variable

// symbols.cpp: __device__ and __constant__ variables, which lie in this shared object.
constexpr uintptr_t SYMBOL_GAP = 256;  // bytes behind each that are nobody's, as a build with hooks leaves them (compilation/fences.py)
extern uintptr_t symbols_low, symbols_high;
enum SymbolKind { OF_DEVICE, OF_BOTH, UNSET, CONSTANT };  // of both: __managed__; unset: a constant that its definition gives no value
void add_symbol(const char* name, uintptr_t address, size_t bytes, SymbolKind kind);
void symbol_given(uintptr_t address, size_t bytes, Site at);  // by a copy or a fill
void tell_unset(const Allocation& a, uintptr_t address, int bytes, uintptr_t pc);  // a read of what nothing has given a value, where it is that
Allocation* symbol_at(uintptr_t address);       // or null
const Allocation* symbol_beside(uintptr_t address, int bytes, bool writes);  // the one that an access in a gap, or across an end, is meant for; or null
bool is_symbol(uintptr_t address, size_t bytes);
bool symbol_has_extent(long long elements);      // one may be an array of so many, by its bytes

// Shared memory.
struct SharedArray {
    const char* name;
    int line;
    uint32_t offset, bytes, item;
    bool dynamic;
    uint32_t columns = 0, rows = 0;  // inner extents of an array of arrays
};
void shared_launch(size_t dynamic_bytes);      // before a launch
char* make_arena();
const SharedArray* shared_at(uint32_t offset);        // the array that holds this byte of the arena, or null
const SharedArray* shared_nearest(uint32_t offset);   // the array that an access to this byte most likely meant, or null
bool shared_has_extent(long long elements);           // an array that this launch has used, or each row of one, has so many
size_t shared_static_bytes();                         // of the arrays that this launch has used
bool shared_needs_one_core();
// Where a matrix descriptor means that an operand lies: its address has 18 bits, of which the arena has many with the same. An offset
// in the arena from which `low` to `high` bytes on are one array's, else one that is in some array; 0: there is none.
uint32_t shared_by_descriptor(uint32_t address, long long low, long long high);
}  // namespace __ok

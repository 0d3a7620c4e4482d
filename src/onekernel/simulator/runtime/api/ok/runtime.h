// What the runtime offers to compiled kernels and launchers: built-in indices, barriers, warp collectives, launches, device
// memory. Everything that can go wrong takes a Site, so that a finding names the learner's line.
#pragma once

#include <cstddef>
#include <cstdint>

#include "card.h"

// Not instrumented: the machinery's own reads and writes are no accesses of the kernel.
#define OK_QUIET __attribute__((no_sanitize("thread")))
#define OK_INLINE inline OK_QUIET

// flatten: what a kernel calls is inlined into it, as nvcc does. It also turns an aggregate passed by value into a load that
// the compiler instruments, which it does not do for the arguments of a call.
#define __global__ __attribute__((flatten))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __inline__ inline
#define __launch_bounds__(...)  // rewrite/launches.py puts a call of ok_launch_bounds into the kernel
#define __maxnreg__(...)
#define __cluster_dims__(...)  // and one of ok_cluster_dims
#define __align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define ONEKERNEL_SIMULATOR 1

// What the host alone has. The compiler tells of each use, and compilation/diagnostics.py keeps those on the device. (clang says
// nothing of a use in what is marked itself: in what is the host's, too.)
#define OK_HOST_ONLY __attribute__((deprecated("ok-host")))
#define OK_HOST_MEMBER __attribute__((deprecated("ok-member")))  // a class's: clang names no class, and of one nvcc knows more
#define OK_LIBRARY_HOST_ONLY __attribute__((deprecated("ok-library")))
// What CUDA 13 has no more, and programs for older versions have.
#define OK_GONE __attribute__((deprecated("ok-gone")))
// CUDA gives device variables their values when the program is loaded: they must be constants. (clang takes a constructor that
// does nothing for none: OK_CONSTANT_START is of variables without a value.)
#if defined(__clang__)
#define OK_CONSTANT_VALUE __attribute__((require_constant_initialization))
#define OK_CONSTANT_START
#else
#define OK_CONSTANT_VALUE __constinit
#define OK_CONSTANT_START __constinit
#endif

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

struct CUstream_st {
    unsigned flags;  // 0: waits for the legacy default stream and is waited for by it
    int priority;
};

// Constant within a thread of the kernel, so that compilers may keep them in registers and instrumentation skips them.
extern __thread const uint3 threadIdx __asm__("ok_threadIdx") __attribute__((tls_model("initial-exec")));
extern __thread const uint3 blockIdx __asm__("ok_blockIdx") __attribute__((tls_model("initial-exec")));
namespace __ok {
inline int at_run_time() { return WARP; }
}
// For CUDA it is no constant of the language, and yet it is known wherever compilers look for what they know.
#if defined(__clang__)
const int warpSize = __ok::at_run_time();
#else
static const char ok_lanes[__ok::WARP + 1] = {};
const int warpSize = static_cast<int>(reinterpret_cast<uintptr_t>(ok_lanes + __ok::WARP) - reinterpret_cast<uintptr_t>(ok_lanes));
#endif

namespace __ok {
// warpSize in a constexpr function, where compilers look for what could never be a constant (rewrite/sides.py). Where
// it stands is seen by the call, or clang++ would look at this function's own body in the same way.
constexpr int warp_size(bool constant = __builtin_is_constant_evaluated()) { return constant ? at_run_time() : WARP; }

// Where in the learner's file a call stands; used as a default argument.
struct Site {
    const char* file;
    int line;
    constexpr Site(const char* file = __builtin_FILE(), int line = __builtin_LINE()) : file(file), line(line) {}
};

// --- threads of a block -------------------------------------------------------------------------------------------
enum Vote : int { VOTE_NONE, VOTE_COUNT, VOTE_AND, VOTE_OR };
extern "C" int ok_barrier(int vote, int predicate, Site at);

enum Collective : int {
    SYNC_WARP, SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_XOR, BALLOT, VOTE_ALL, VOTE_ANY, VOTE_UNI, MATCH_ANY, MATCH_ALL,
    REDUCE_ADD, REDUCE_MIN_U, REDUCE_MAX_U, REDUCE_MIN_S, REDUCE_MAX_S, REDUCE_AND, REDUCE_OR, REDUCE_XOR, ACTIVE_MASK,
    MATRIX,
    WARPGROUP  // of four warps: api/ok/warpgroup.h
};
// Every lane that `mask` names deposits `value`; the result is per lane. `lane`: source lane, delta or lane mask of a
// shuffle. `bytes`: size of the value. `predicate` receives MATCH_ALL's.
extern "C" uint64_t ok_collective(int what, unsigned mask, uint64_t value, int lane, int width, int bytes,
                                  int* predicate, Site at);

// Scope of a fence: 0 block, 1 device, 2 system.
extern "C" void ok_fence(int scope, Site at);
extern "C" void* ok_driver_function(const char* name);  // of those that are here, or null
// To be called before an atomic operation touches memory; `bytes` at `address`, which `writes` it or only reads. `of_block`: it
// is atomic among the threads of one block.
extern "C" void ok_atomic(const volatile void* address, int bytes, bool writes, Site at, bool of_block = false);
extern "C" void ok_atomic_compare(const volatile void* address, int bytes, Site at, bool of_block = false);  // of a compare and swap
// The same for an operation that releases by itself what the thread has done: to its block (1), to all (2), or not (0).
enum AtomicKind : int { ATOMIC_LOAD, ATOMIC_STORE, ATOMIC_UPDATE, ATOMIC_COMPARE };
extern "C" void ok_atomic_ordered(const volatile void* address, int bytes, AtomicKind kind, int releases);
// The linear index of the calling thread in its block, and its lane.
extern "C" unsigned ok_thread_rank();
extern "C" bool ok_in_kernel();
extern "C" void ok_of_host(const char* function, Site at = Site());  // which begins, and which no kernel may call
// Whether the function that asks works for the device: in a kernel, or in a library that stands for one.
extern "C" bool ok_on_device() __attribute__((const));
extern "C" long long ok_clock();  // nanoseconds, which leap where a thread waits for them
[[noreturn]] void trap(const char* what, Site at);              // __trap, and what is not supported inside a kernel
void assert_failed(const char* expression, Site at);            // assert in device code: a finding, then the kernel stops

// --- shared memory --------------------------------------------------------------------------------------------------
// One per __shared__ declaration (and per template instance); constant-initialised, placed at its first use. Of an array of
// arrays `columns` is the innermost extent, and `rows` the one around it where there are three.
struct SharedSite {
    const char* name;
    int line;
    unsigned bytes, align, item, columns = 0, rows = 0;
    int offset = -1;
    SharedSite* next = nullptr;
    unsigned launch = 0;
};
extern "C" void* ok_shared(SharedSite* site);
extern "C" void* ok_shared_dynamic(const char* name, int line, unsigned item);
extern "C" void* ok_shared_at_namespace_scope(SharedSite* site);  // from then on one core runs every launch

// Asynchronous copies: one of `bytes` bytes, at most 16, to shared memory, with what is to arrive there; the end of a batch of
// the calling thread's; its wait until no more than the `still_allowed` youngest batches are under way.
extern "C" void ok_copy_started(void* to, const void* bytes_to_come, size_t bytes, Site at);
extern "C" void ok_copies_closed();
extern "C" void ok_copies_waited(unsigned still_allowed);

// Addresses in PTX's window of shared memory, and pointers. The window counts from the block's first byte.
extern "C" void* ok_shared_pointer(uint64_t address, Site at);
extern "C" uint64_t ok_shared_address(const volatile void* pointer);
extern "C" bool ok_in_shared(const volatile void* pointer);
extern "C" unsigned ok_dynamic_shared_bytes();
extern "C" void ok_read_only(const void* pointer, int bytes, Site at);  // what is read there nobody has written in this launch

// --- barriers of one's own ------------------------------------------------------------------------------------------
// An mbarrier in shared memory, which waits for `count` arrivals a phase. An arrival gives the phase that it belongs to;
// `bytes` are those that are to come before the phase ends, or, below 0, that have come.
extern "C" void ok_mbarrier_init(void* object, unsigned count, Site at);
extern "C" void ok_mbarrier_inval(void* object, Site at);
extern "C" uint64_t ok_mbarrier_arrive(void* object, unsigned count, long long bytes, bool drops, Site at);
// Has that phase ended? `parity`: the last one whose number has this last bit. `waits`: comes back later, if not.
extern "C" bool ok_mbarrier_wait(void* object, uint64_t phase, bool parity, bool waits, Site at);
// Stores into a block of the cluster, whose mbarrier `object` learns that the bytes have come.
extern "C" void ok_store_async(void* to, const void* from, size_t bytes, void* object, Site at);
extern "C" void ok_copies_arrive(void* object, bool counted, Site at);
// Bulk copies: of `bytes` bytes to shared memory, of which the mbarrier `object` learns when they have come; with `blocks`, a bit for
// each of the cluster, to the same place in all of those. And of a box of a tensor, whose first element is at `where`.
extern "C" void ok_bulk_load(void* to, const void* from, unsigned bytes, void* object, unsigned blocks, Site at);
extern "C" void ok_tensor_load(void* to, const void* map, const int* where, int rank, void* object, unsigned blocks, Site at);
// From shared memory, in batches as above; `read`: their shared memory is free again, no more.
extern "C" void ok_bulk_store(void* to, const void* from, unsigned bytes, Site at);
extern "C" void ok_tensor_store(const void* map, const int* where, int rank, const void* from, Site at);
extern "C" void ok_tensor_prefetch(const void* map, int rank, Site at);  // of rank 0: of the map itself
extern "C" void ok_bulk_closed();
extern "C" void ok_bulk_waited(unsigned still_allowed, bool read);
extern "C" void ok_named_barrier(unsigned number, unsigned threads, bool waits, Site at);
extern "C" void ok_tile_barrier(unsigned tile, unsigned threads, Site at);  // of the tile's threads, which are whole warps

// --- device memory --------------------------------------------------------------------------------------------------
// All return a cudaError_t as int. `name` is what messages call the allocation.
extern "C" int ok_device_alloc(void** out, size_t bytes, const char* name, Site at);
extern "C" int ok_graph_alloc(void** out, size_t bytes);  // of a graph: freeing it leaves it there for the next launch
extern "C" bool ok_is_of_graph(const void* pointer);
extern "C" size_t ok_graph_memory();                      // bytes of all of it
extern "C" int ok_managed_alloc(void** out, size_t bytes, Site at);
extern "C" bool ok_is_managed(const void* pointer);
extern "C" int ok_pinned_alloc(void** out, size_t bytes, Site at);
extern "C" bool ok_is_pinned(const void* pointer);
extern "C" void ok_host_register(const void* pointer, size_t bytes);
extern "C" bool ok_host_unregister(const void* pointer);  // whether it was registered
extern "C" bool ok_is_host_registered(const void* pointer);
extern "C" void ok_malloc_heap(size_t bytes);  // of malloc and new in kernels
extern "C" int ok_device_free(void* pointer, Site at);
// True where `pointer` lies in device memory; `base` and `bytes` (either may be null) receive its allocation's.
extern "C" bool ok_device_find(const void* pointer, void** base, size_t* bytes);
extern "C" int ok_device_copy(void* to, const void* from, size_t bytes, int kind, Site at);  // kind: cudaMemcpyKind
extern "C" int ok_is_symbol(const void* address, Site at);  // is it a __device__ or __constant__ variable?
struct RowsAt {  // one side of a copy: where its first row begins, how far rows and planes are apart
    const void* first;
    size_t pitch, plane;
};
extern "C" int ok_rows(const RowsAt* to, const RowsAt* from, size_t width, size_t height, size_t depth, Site at);  // do they fit? No `from` for a fill
extern "C" int ok_low_planes(size_t height, size_t rows, bool writes, Site at);  // tells planes of fewer rows than are copied
extern "C" int ok_device_fill(void* to, int value, size_t bytes, Site at);

// --- streams --------------------------------------------------------------------------------------------------------
// Work on a stream has been asked for: `what` is a function's name, `fix` how it should be written, or null for <<<...>>>;
// `pointers` are what it may touch.
extern "C" void ok_stream_work(const char* what, const char* fix, const volatile void* stream, const void* const* pointers,
                               int count, Site at);
// What a call of the runtime orders: a stream's work before an event, an event before a stream, either before the host.
enum Order : int { RECORD_EVENT, WAIT_EVENT, JOIN_EVENT, JOIN_STREAM, JOIN_DEVICE };
extern "C" void ok_pitched(const void* pointer, size_t pitch);
extern "C" void ok_stream_copied(const char* what, void* to, const void* from, size_t bytes, const volatile void* stream, Site at);
extern "C" void ok_pinned_copy(void* to, const void* from, size_t bytes, const volatile void* stream, Site at);  // it may still run
extern "C" int ok_stream_destroyed(const volatile void* stream, Site at);
extern "C" void ok_stream_order(int order, const volatile void* stream, const volatile void* event);
extern "C" bool ok_time_asked(const volatile void* start, const volatile void* end, Site at);  // for its time, which it has once it has happened
extern "C" bool ok_is_done(const volatile void* stream, const volatile void* event);  // as the host is told that asks

// --- stream capture (machine/graphs.cpp) -----------------------------------------------------------------------------
// A piece of work for `stream`: 0 it is done now, -1 it is kept by ok_capture_work, else the error that it returns.
extern "C" int ok_capturing(const volatile void* stream);
extern "C" void ok_capture_work(const volatile void* stream, void (*run)(void* data, void* stream), void (*drop)(void*), void* data);
extern "C" int ok_capture_status(const volatile void* stream);
// What a call that waits for `stream`, or for `any`, returns: an error where capture forbids it, else 0.
extern "C" int ok_capture_forbids(const volatile void* stream, bool any);
extern "C" bool ok_capture_event(const volatile void* stream, const volatile void* event, bool records);
extern "C" int ok_capture_waits_for(const volatile void* event);

// --- errors ---------------------------------------------------------------------------------------------------------
extern "C" int ok_error(bool clear);        // cudaPeekAtLastError, cudaGetLastError
extern "C" int ok_fault();                  // of a kernel: every later call of the runtime returns it
extern "C" void ok_device_reset(Site at);          // what was allocated is free, what has gone wrong is forgotten
extern "C" int ok_fail(int error);          // remembers `error` as the last one and returns it
extern "C" void ok_unset_fragment(Site at);                  // a finding: a matrix of registers that nobody set is used
extern "C" void ok_unsupported(const char* what, Site at);   // a finding that names what and the line
extern "C" bool ok_may_call_host(const char* what, Site at);  // not from the body of a conditional node: a finding

// --- launches -------------------------------------------------------------------------------------------------------
struct LaunchSite {
    const char* kernel;     // as written: "softmax<float, 256>"
    const char* arguments;  // as written, separated by '\n'
    const void* address;    // of the kernel; of one that <<<...>>> names the launch fills it in
    Site at;
};
struct Config {
    dim3 grid, block;
    size_t shared;
    void* stream;
    bool cooperative;
    dim3 cluster;
    Config(dim3 grid, dim3 block, size_t shared = 0, CUstream_st* stream = nullptr, bool cooperative = false)
        : grid(grid), block(block), shared(shared), stream(stream), cooperative(cooperative) {}
};
// A parameter of a launch, made of its argument.
struct Argument {
    enum Kind { OTHER, SIGNED, UNSIGNED, FLOATING, POINTER };
    const void* value;
    int bytes;
    Kind kind;
    int item = 0;  // of a pointer to known elements: their size
};
extern "C" void ok_arguments(const Argument* values, int count);  // of the launch to come
// Runs `body(context)` once for each thread. `pointers`: each argument that is a pointer, else null, so that device
// memory without a name is called what the launch calls it.
extern "C" int ok_launch(const LaunchSite* site, const Config* config, const void* const* pointers, int count,
                         void (*body)(void*), void* context);
extern "C" int ok_refuse_launch(const LaunchSite* site, int error);  // remembers the error, and that it is this launch's
// What kernels and the host ask about blocks that run together. A level is whose barrier is meant.
enum Level : int { CLUSTER, GRID };
struct ClusterPlace {
    dim3 blocks;             // of a cluster
    uint3 cluster, block;    // which cluster of the grid, which block of the cluster
    unsigned rank;
};
extern "C" unsigned ok_blocks_arrive(int level, bool waits, Site at);    // the phase to wait for
extern "C" void ok_blocks_wait(int level, unsigned phase, Site at);
extern "C" void ok_blocks_wait_last(int level, Site at);                 // the phase in which this thread has arrived last
extern "C" bool ok_cooperative();
extern "C" void ok_cluster(ClusterPlace* out);
extern "C" void* ok_map_shared(const volatile void* address, int rank, Site at);
extern "C" unsigned ok_query_shared(const volatile void* address, Site at);
extern "C" void ok_cluster_dims(dim3 shape);
extern "C" void ok_launch_bounds(int threads, int blocks = 0, int cluster = 0);
extern "C" int ok_registers_of(const void* kernel);  // of a thread; 0 where nobody has told
extern "C" size_t ok_shared_bytes_of(const void* kernel);  // of the arrays in its body
extern "C" int ok_most_threads(const void* kernel);  // of a block
extern "C" int ok_resident_blocks(const void* kernel, int threads, size_t dynamic);  // on one multiprocessor
extern "C" int ok_allow_wide_clusters(const void* kernel, bool allow);
extern "C" int ok_most_in_cluster(const void* kernel);
extern "C" int ok_set_max_dynamic_shared(const void* kernel, int bytes, Site at);
extern "C" int ok_max_dynamic_shared(const void* kernel);
// A launch of a kernel that is known by its address alone.
using Launcher = int (*)(const void*, dim3, dim3, void**, size_t, CUstream_st*, bool, Site);
extern "C" void ok_keep_launcher(const void* kernel, Launcher launcher);
extern "C" Launcher ok_launcher_of(const void* kernel);  // or null
}  // namespace __ok

// malloc, free, new and delete in a kernel: pieces of one allocation of device memory, as large as cudaLimitMallocHeapSize.
// Linked in place of the C library's (--wrap), which serve the host as before.
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "../shadow/shadow.h"
#include "../machine/repeated.h"
#include "../machine/state.h"
#include "host_blocks.h"
#include "memory.h"

extern "C" {
void* __real_malloc(size_t bytes);
void* __real_calloc(size_t count, size_t bytes);
void* __real_realloc(void* pointer, size_t bytes);
void __real_free(void* pointer);
void* __real__Znwm(size_t bytes);
void* __real__Znam(size_t bytes);
void __real__ZdlPv(void* pointer);
void __real__ZdaPv(void* pointer);
void __real__ZdlPvm(void* pointer, size_t bytes);
void __real__ZdaPvm(void* pointer, size_t bytes);
}

namespace __ok {
namespace {
size_t heap_limit = size_t(8) << 20;
std::mutex malloc_lock;
Allocation* pieces = nullptr;  // of which every piece is a part
size_t pieces_top = 0;
std::map<size_t, std::vector<uintptr_t>> returned;  // by size
constexpr size_t HEADER = 16;                       // its size, before each piece; CUDA aligns them so, too

bool in_kernel() { return worker && worker->current && !worker->busy; }
bool is_piece(const void* p) {
    uintptr_t address = reinterpret_cast<uintptr_t>(p);
    return pieces && address >= pieces->base && address < pieces->end;
}

void* take(size_t bytes) {
    Busy busy;
    cannot_be_repeated();
    std::lock_guard<std::mutex> lock(malloc_lock);
    if (!pieces) {
        if (device_alloc(heap_limit, 0, heap_limit, "malloc", &pieces)) return nullptr;
        if (options & RACES) make_shadow(*pieces);  // at once: what this launch writes a later one may read
    }
    size_t whole = HEADER + (bytes + HEADER - 1) / HEADER * HEADER;
    uintptr_t at;
    std::vector<uintptr_t>& again = returned[whole];
    if (!again.empty()) {
        at = again.back();
        again.pop_back();
    } else {
        if (pieces_top + whole > heap_limit) return nullptr;  // as CUDA does
        at = pieces->base + pieces_top;
        pieces_top += whole;
    }
    *reinterpret_cast<size_t*>(at) = whole;
    return reinterpret_cast<void*>(at + HEADER);
}

void give_back(void* p) {
    Busy busy;
    cannot_be_repeated();
    std::lock_guard<std::mutex> lock(malloc_lock);
    uintptr_t at = reinterpret_cast<uintptr_t>(p) - HEADER;
    returned[*reinterpret_cast<size_t*>(at)].push_back(at);
}

// True where the kernel is the caller: then it has been done. The host's own memory stays: in a kernel only the destructor
// of an argument passed by value asks for that, which CUDA runs on the host.
bool freed_by_kernel(void* p) {
    if (!in_kernel()) {
        forget_block(p);
        return false;
    }
    if (is_piece(p)) give_back(p);
    return true;
}

void* of_host(void* block, size_t bytes) {
    note_block(block, bytes);
    return block;
}
}  // namespace

extern "C" void ok_malloc_heap(size_t bytes) {
    if (!pieces) heap_limit = bytes;
}
}  // namespace __ok

#define OK_TAKES(NAME) \
    extern "C" void* __wrap_##NAME(size_t bytes) { return __ok::in_kernel() ? __ok::take(bytes) : __ok::of_host(__real_##NAME(bytes), bytes); }
OK_TAKES(malloc)
OK_TAKES(_Znwm)
OK_TAKES(_Znam)
extern "C" void* __wrap_calloc(size_t count, size_t bytes) { return __ok::of_host(__real_calloc(count, bytes), count * bytes); }
extern "C" void* __wrap_realloc(void* p, size_t bytes) {
    __ok::forget_block(p);
    return __ok::of_host(__real_realloc(p, bytes), bytes);
}
#define OK_FREES(NAME) \
    extern "C" void __wrap_##NAME(void* p) { if (!__ok::freed_by_kernel(p)) __real_##NAME(p); }
OK_FREES(free)
OK_FREES(_ZdlPv)
OK_FREES(_ZdaPv)
#define OK_FREES_SIZED(NAME) \
    extern "C" void __wrap_##NAME(void* p, size_t bytes) { if (!__ok::freed_by_kernel(p)) __real_##NAME(p, bytes); }
OK_FREES_SIZED(_ZdlPvm)
OK_FREES_SIZED(_ZdaPvm)

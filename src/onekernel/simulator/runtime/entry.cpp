// What Python calls: buffers in, a launcher called, buffers and a report out.
#include <link.h>

#include <cstring>

#include "checkers/races.h"
#include "checkers/lockstep.h"
#include "checkers/trace.h"
#include "machine/crash.h"
#include "machine/launch.h"
#include "machine/signal_context.h"
#include "machine/streams.h"
#include "machine/time_limit.h"
#include "memory/host_view.h"
#include "memory/memory.h"
#include "memory/sparse.h"
#include "report/findings.h"
#include "report/launches.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace __ok {
uintptr_t loaded_at = 0, text_at = 0;

// Finds where this shared object lies, and its code and data.
static int look(dl_phdr_info* info, size_t, void*) {
    uintptr_t me = reinterpret_cast<uintptr_t>(&look);
    uintptr_t code_low = 0, code_high = 0, low = ~uintptr_t(0), high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto& p = info->dlpi_phdr[i];
        if (p.p_type != PT_LOAD) continue;
        uintptr_t from = info->dlpi_addr + p.p_vaddr, to = from + p.p_memsz;
        low = from < low ? from : low;
        high = to > high ? to : high;
        if (p.p_flags & PF_X) {
            code_low = from;
            code_high = to;
        }
    }
    if (me < low || me >= high) return 0;
    loaded_at = info->dlpi_addr;
    text_at = code_low;
    symbols_low = low;
    symbols_high = high + SYMBOL_GAP;  // the last variable may end where the object does
    set_code(code_low, code_high);
    return 1;
}

struct Call {
    void* function;
    const uint64_t* arguments;
    const float* floats;
    int status;
};

static void call_launcher(void* raw) {
    Call& c = *static_cast<Call*>(raw);
    const uint64_t* a = c.arguments;
    using Function = int (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                             uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, float, float, float, float);
    c.status = reinterpret_cast<Function>(c.function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
                                                      a[12], a[13], a[14], a[15], c.floats[0], c.floats[1], c.floats[2], c.floats[3]);
}

EXPORT uint64_t ok_code_base_address() {
    if (!loaded_at) dl_iterate_phdr(look, nullptr);
    return loaded_at;
}

EXPORT void ok_symbol(const char* name, uint64_t offset, uint64_t bytes, int kind) {
    add_symbol(name, ok_code_base_address() + offset, bytes, static_cast<SymbolKind>(kind));
}

// A buffer of `size` bytes copied from `bytes`, of which `extent` from `offset` may be touched. 0: no memory left.
EXPORT int ok_buffer(const char* name, const void* bytes, size_t size, size_t offset, size_t extent, int item, int writable) {
    Allocation* a = nullptr;
    if (device_alloc(size ? size : 1, offset, offset + extent, name, &a)) return 0;
    a->item = item;
    a->initialised = !writable;
    caller_buffer(static_cast<int>(a - allocations));
    Open open;
    memcpy(reinterpret_cast<void*>(a->base), bytes, size);
    return static_cast<int>(a - allocations);
}

EXPORT uint64_t ok_buffer_pointer(int id) { return allocations[id].low; }

// Copies the buffer's bytes to `out` and frees it.
EXPORT void ok_buffer_take(int id, void* out) {
    Allocation& a = allocations[id];
    {
        Open open;
        memcpy(out, reinterpret_cast<void*>(a.base), a.end - a.base);
    }
    device_release(a);
    a.freed = false;
}

// A tensor of `span` bytes that hold `period` bytes of `pattern` again and again, or nothing yet. 0: no room.
EXPORT int ok_sparse(const char* name, const void* pattern, size_t period, size_t span, int item, int writable, size_t row, size_t apart, uint64_t draw) {
    int id = sparse_alloc(name, pattern, period, span, item, writable, {row, apart}, draw);
    if (id) caller_buffer(id);
    return id;
}

// Copies up to `most` of the numbers start, length, start... of what was written; returns how many there are.
EXPORT size_t ok_sparse_runs(int id, uint64_t* out, size_t most) {
    const std::vector<uint64_t>& runs = allocations[id].sparse->runs;
    memcpy(out, runs.data(), sizeof(uint64_t) * (runs.size() < most ? runs.size() : most));
    return runs.size();
}
// Copies the bytes of the first `count` runs to `out`, one after the other.
EXPORT void ok_sparse_read(int id, size_t count, char* out) {
    Open open;
    const std::vector<uint64_t>& runs = allocations[id].sparse->runs;
    for (size_t i = 0; i < count; out += runs[2 * i + 1], i++)
        memcpy(out, reinterpret_cast<void*>(allocations[id].low + runs[2 * i]), runs[2 * i + 1]);
}
EXPORT uint64_t ok_sparse_bins(int id, int written) {
    return written ? allocations[id].sparse->bins_written : allocations[id].sparse->bins_read;
}
EXPORT void ok_sparse_free(int id) {
    Allocation& a = allocations[id];
    device_release(a);
    a.freed = false;
}

// Which block and which of its warps calls with TRACE record.
EXPORT void ok_trace(uint64_t block, int warp) {
    trace_block = block;
    trace_warp = warp;
}

// Whose assignments the call keeps, of the variable that the file was built to show.
EXPORT void ok_show(long long block, long long thread) { show_thread(block, thread); }

EXPORT int ok_call(void* function, const uint64_t* arguments, const float* floats, unsigned with_options, double time_limit, int cores, int* status) {
    ok_code_base_address();
    worker = &host_worker();
    worker->launch = nullptr;
    worker->current = nullptr;
    worker->asked = NO_THREAD_RUNS;
    worker->busy = 0;
    options = with_options;
    clear_findings();
    start_printing();
    start_call(cores);
    start_host_view();
    start_streams();
    forget_captures();
    set_time_limit(time_limit);
    Call call{function, arguments, floats, 0};
    bool returned = guarded(call_launcher, &call);
    if (returned && (worker->current || in_device_view())) Finding("left-kernel").add();
    leave_device_view();
    close_heap();
    finish_streams(returned && !faulted());
    if (returned && options & LEFT) tell_leaks();
    *status = returned ? call.status : ok_error(false);
    worker = nullptr;
    give_back_stacks();
    return returned;
}

EXPORT const char* ok_report() {
    static std::string text;
    Json out;
    out.object([&] {
        write_findings(out.key("findings"));
        write_launches(out.key("launches"));
        write_shown(out.key("shown"));
    });
    text = out.text();
    return text.c_str();
}
}  // namespace __ok

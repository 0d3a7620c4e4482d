// What a call of one of CUDA's libraries is given, checked as a kernel's accesses are: side, extent, first reads.
#include <cstring>

#include "../api/ok/libraries.h"
#include "../api/ok/narrow_float.h"
#include "../shadow/shadow.h"
#include "../memory/host_memory.h"
#include "../memory/host_view.h"
#include "../memory/memory.h"
#include "../report/findings.h"

namespace __ok {
double stored(const void* data, long long i, int type) {
    switch (type) {
        case FLOAT32: return static_cast<const float*>(data)[i];
        case FLOAT64: return static_cast<const double*>(data)[i];
        case FLOAT16: return half_value(static_cast<const uint16_t*>(data)[i]);
        case BFLOAT16: return bfloat16_value(static_cast<const uint16_t*>(data)[i]);
        case INT8: return static_cast<const int8_t*>(data)[i];
        default: return static_cast<const int32_t*>(data)[i];
    }
}

void store_as(void* data, long long i, int type, double value) {
    switch (type) {
        case FLOAT32: static_cast<float*>(data)[i] = static_cast<float>(value); break;
        case FLOAT64: static_cast<double*>(data)[i] = value; break;
        case FLOAT16: static_cast<uint16_t*>(data)[i] = narrow<HalfFormat>(value); break;
        case BFLOAT16: static_cast<uint16_t*>(data)[i] = narrow<BFloat16Format>(value); break;
        case INT8: static_cast<int8_t*>(data)[i] = static_cast<int8_t>(value); break;
        default: static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value);
    }
}

namespace {
Finding library_finding(const char* code, const LibraryCall& call, const char* name) {
    uint64_t line = static_cast<uint64_t>(call.at.line);
    Finding f(code, line, reinterpret_cast<uintptr_t>(name));
    f.at(call.at).text("function", call.function).text("name", name);
    return f;
}

// The allocation that holds a pointer's first byte, live or not, or null; whether it is memory that the device reaches at all.
Allocation* memory_behind(uintptr_t address, bool* of_device) {
    Allocation* symbol = symbol_at(address);
    *of_device = symbol || (heap_base && address - heap_base < HEAP_BYTES);
    if (symbol || !*of_device) return symbol;
    Allocation& a = __ok::owner_of(address - heap_base);
    return a.live && address >= a.low && address < a.high ? &a : nullptr;
}

bool operand_fits(const LibraryCall& call, const Operand& o) {
    if (o.rows <= 0 || o.columns <= 0) return true;
    uintptr_t address = reinterpret_cast<uintptr_t>(o.data);
    bool of_device = false;
    Allocation* a = memory_behind(address, &of_device);
    if (!of_device) {
        if (is_registered(address)) return true;
        library_finding("library-pointer", call, o.name).form(address ? "host" : "null").add();
        return false;
    }
    long long bytes = element_bytes(o.type), needed = (o.columns - 1) * o.stride + o.rows;
    if (!a) {
        library_finding("library-pointer", call, o.name).form("nowhere").add();
        return false;
    }
    long long has = static_cast<long long>(a->high - address) / bytes;
    if (needed <= has) return true;
    library_finding("library-extent", call, o.name).form(o.rows == 1 ? "vector" : "matrix").number("rows", o.rows).number("columns", o.columns)
        .number("stride", o.stride).number("needed", needed).number("has", has).array("buffer", a->name).add();
    return false;
}

void each_column(const Operand& o, void (*visit)(Allocation&, uintptr_t, size_t, void*), void* context) {
    uintptr_t address = reinterpret_cast<uintptr_t>(o.data);
    bool of_device = false;
    Allocation* a = memory_behind(address, &of_device);
    size_t bytes = element_bytes(o.type);
    if (!a) return;
    if (o.stride == o.rows) return visit(*a, address, bytes * o.rows * o.columns, context);
    for (long long j = 0; j < o.columns; j++) visit(*a, address + bytes * j * o.stride, bytes * o.rows, context);
}

// The first byte of the operand that nobody wrote, or null.
uintptr_t unwritten(const Operand& o) {
    uintptr_t found = 0;
    each_column(o, [](Allocation& a, uintptr_t address, size_t bytes, void* context) {
        uintptr_t& first = *static_cast<uintptr_t*>(context);
        if (first || a.initialised) return;
        for (uintptr_t b = address - a.base; b < address - a.base + bytes && !first; b++)
            if (!is_initialised(a, b)) first = a.base + b;
    }, &found);
    return found;
}
}  // namespace

extern "C" bool ok_library_operands(const LibraryCall* call, const Operand* operands, int count) {
    if (ok_capture_status(call->stream)) {  // it would be done at once, and be missing in the graph
        ok_unsupported("a library's call for a stream that is captured", call->at);
        return false;
    }
    for (int i = 0; i < count; i++)
        if (!operand_fits(*call, operands[i])) return false;
    const void* pointers[8];
    for (int i = 0; i < count; i++) pointers[i] = operands[i].data;
    ok_stream_work(call->function, nullptr, call->stream, pointers, count, call->at);
    note_host_writes();  // of whole pages, of which the system would else be asked byte by byte
    for (int i = 0; i < count && options & RACES; i++) {
        const Operand& o = operands[i];
        if (!o.reads) continue;
        if (uintptr_t at = unwritten(o)) {
            long long index = static_cast<long long>(at - reinterpret_cast<uintptr_t>(o.data)) / element_bytes(o.type);
            bool vector = o.rows == 1;
            long long stride = o.stride ? o.stride : 1;
            library_finding("library-unwritten", *call, o.name).form(vector ? "vector" : "matrix").number("row", vector ? 0 : index % stride)
                .number("column", index / stride).add();
        }
    }
    for (int i = 0; i < count && options & RACES; i++)
        if (operands[i].writes)
            each_column(operands[i], [](Allocation&, uintptr_t address, size_t bytes, void*) { mark_initialised(address, bytes); }, nullptr);
    return true;
}

extern "C" void ok_library_refused(const LibraryCall* call, const char* status, const char* form, const char* name, long long value,
                                   long long least) {
    library_finding("library-refused", *call, name).form(form).text("status", status).number("value", value).number("least", least).add();
}

extern "C" bool ok_library_pointers(const LibraryCall* call, const char* name, const void* array, int count, const void** out) {
    Operand o{name, array, 1, count, 1, FLOAT64, true, false};  // of 8 bytes, too
    if (!ok_library_operands(call, &o, 1)) return false;
    Open open;
    memcpy(out, array, sizeof *out * static_cast<size_t>(count));
    return true;
}

static bool scalar_is_good(const LibraryCall& call, const char* name, const void* pointer, int type, bool on_device, bool writes) {
    bool of_device = false;
    Allocation* a = memory_behind(reinterpret_cast<uintptr_t>(pointer), &of_device);
    bool both = (a && (a->managed || a->of_both)) || is_registered(reinterpret_cast<uintptr_t>(pointer));
    if (!both && of_device != on_device) {
        library_finding("library-scalar", call, name).form(of_device ? "on-device" : "on-host").add();
        return false;
    }
    Operand o{name, pointer, 1, 1, 1, type, !writes, writes};
    return !on_device || ok_library_operands(&call, &o, 1);
}

extern "C" bool ok_library_scalar_in(const LibraryCall* call, const char* name, const void* pointer, int type, bool on_device, double* out) {
    if (!scalar_is_good(*call, name, pointer, type, on_device, false)) return false;
    Open open;
    DeviceView view;
    *out = stored(pointer, 0, type);
    return true;
}

extern "C" bool ok_library_scalar_out(const LibraryCall* call, const char* name, void* pointer, int type, bool on_device, double value) {
    if (!scalar_is_good(*call, name, pointer, type, on_device, true)) return false;
    if (!on_device) ok_stream_order(JOIN_STREAM, call->stream, nullptr);
    Open open;
    store_as(pointer, 0, type, value);
    return true;
}
}  // namespace __ok

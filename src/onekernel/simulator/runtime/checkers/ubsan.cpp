// Undefined behaviour of C++: signed 32-bit arithmetic that overflows, an index outside an array whose extents are
// declared, a function that ends without its value. What -fsanitize=signed-integer-overflow, bounds and return call.
// Source: LLVM, compiler-rt/lib/ubsan/ubsan_handlers.h, for the layout of what is passed.
//
// Tells: integer-overflow, array-bounds
// Tests: index_*, local_array_*
#include <cstdlib>
#include <cstring>

#include "../machine/crash.h"
#include "../machine/launch.h"
#include "../machine/state.h"
#include "../memory/memory.h"
#include "../report/findings.h"

namespace __ok {
struct Type {
    uint16_t kind, info;
    char name[1];
};

struct OverflowData {
    const char* file;
    uint32_t line, column;
    const Type* type;
};

struct IndexData {
    const char* file;
    uint32_t line, column;
    const Type *array, *index;
};

struct MissingReturnData {
    const char* file;
    uint32_t line, column;
};

static void overflow(const OverflowData* data, const char* sign, uintptr_t left, uintptr_t right) {
    const Worker* w = worker;
    if (!w || !(options & BOUNDS) || data->type->info >> 1 > 5) return;  // 2^5 bits: int and below
    if (w->current && w->launch->undefined) return;
    char text[64];
    snprintf(text, sizeof text, "%d %s %d", static_cast<int>(left), sign, static_cast<int>(right));
    Finding("integer-overflow", data->line, reinterpret_cast<uintptr_t>(data->file))
        .at(Site(data->file, static_cast<int>(data->line))).where().text("operation", text).add();
}

// How many elements an array has, by its type as compilers spell it, 'float [4][8]' or 'Tile' (aka 'float[4][8]'), how many
// of its subscripts are in there, and among how many elements the first of these chooses.
struct Extents {
    long long all = 1, first = 0;
    int subscripts = 0;
    explicit Extents(const char* type) {
        const char* at = strrchr(type, ']');
        for (; at && at > type && *at == ']'; at--, subscripts++) {
            while (at > type && *at != '[') at--;
            all *= first = atoll(at + 1);
        }
    }
};

#ifdef __clang__
constexpr bool AT_BEGIN = true;  // the column where the indexed array's name begins, of whoever compiled the file and this
#else
constexpr bool AT_BEGIN = false;  // the column where the subscript ends
#endif

// An array of a thread's own, in its registers or its local memory, where no hook sees an access, and which may lie beside the
// way back to the caller. Of shared memory and of the device's variables the hook of the access that follows knows more: where
// the array may be one of those, the kernel goes on, and the file's text says whether it is (read/arrays.py).
static void outside_array(const IndexData* data, uintptr_t index) {
    const Worker* w = worker;
    if (!w || !w->current || !(options & BOUNDS)) return;
    const Extents extents(data->array->name);
    if (extents.all <= 0) return;  // one without elements stands for what lies behind it
    const bool elsewhere = shared_has_extent(extents.all) || symbol_has_extent(extents.all);
    const bool is_int = data->index->kind == 0 && data->index->info == (5 << 1 | 1);  // 2^5 bits, and a sign
    const long long number = is_int ? static_cast<int>(index) : static_cast<long long>(index);
    Finding("array-bounds", data->line << 12 | data->column, reinterpret_cast<uintptr_t>(data->file))
        .at(Site(data->file, static_cast<int>(data->line))).form(number < 0 ? "before" : "after").here()
        .number("index", number).number("size", extents.first).number("column", data->column)
        .number("at_begin", AT_BEGIN).number("subscripts", extents.subscripts).number("elsewhere", elsewhere).add();
    if (!elsewhere) stop_launch(ERROR_ILLEGAL_ADDRESS);
}
}  // namespace __ok

// By label: under a sanitizer g++ knows the names as its own, with other types.
#define OK_UBSAN(NAME, PARAMETERS)                                    \
    extern "C" void ubsan_##NAME PARAMETERS __asm__("__ubsan_handle_" #NAME); \
    extern "C" void ubsan_##NAME PARAMETERS

OK_UBSAN(add_overflow, (__ok::OverflowData * d, uintptr_t a, uintptr_t b)) { __ok::overflow(d, "+", a, b); }
OK_UBSAN(sub_overflow, (__ok::OverflowData * d, uintptr_t a, uintptr_t b)) {
    // (1 << lane) - 1, the mask of the lanes before, is meant as it comes out in lane 31.
    if (static_cast<uint32_t>(a) != 1u << 31 || static_cast<uint32_t>(b) != 1) __ok::overflow(d, "-", a, b);
}
OK_UBSAN(mul_overflow, (__ok::OverflowData * d, uintptr_t a, uintptr_t b)) { __ok::overflow(d, "*", a, b); }
OK_UBSAN(negate_overflow, (__ok::OverflowData * d, uintptr_t a)) { __ok::overflow(d, "-", 0, a); }
OK_UBSAN(divrem_overflow, (__ok::OverflowData * d, uintptr_t a, uintptr_t b)) { __ok::overflow(d, "/", a, b); }
OK_UBSAN(out_of_bounds, (__ok::IndexData * d, uintptr_t index)) { __ok::outside_array(d, index); }
OK_UBSAN(missing_return, (__ok::MissingReturnData * d)) { __ok::missing_return(__ok::Site(d->file, static_cast<int>(d->line))); }

// Undefined behaviour of C++: signed 32-bit arithmetic that overflows, a function that ends without its value. What
// -fsanitize=signed-integer-overflow and -fsanitize=return call.
// Source: LLVM, compiler-rt/lib/ubsan/ubsan_handlers.h, for the layout of what is passed.
#include <cstring>

#include "../machine/crash.h"
#include "../machine/state.h"
#include "../memory/memory.h"
#include "../report/findings.h"

namespace __ok {
struct OverflowData {
    const char* file;
    uint32_t line, column;
    struct Type {
        uint16_t kind, info;
        char name[1];
    }* type;
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
OK_UBSAN(missing_return, (__ok::MissingReturnData * d)) { __ok::missing_return(__ok::Site(d->file, static_cast<int>(d->line))); }

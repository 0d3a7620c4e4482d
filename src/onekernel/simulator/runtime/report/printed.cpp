// printf: what a kernel prints is kept with its line, block and thread, as CUDA keeps it in a buffer until the host looks.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "../machine/program.h"
#include "../machine/repeated.h"
#include "../machine/state.h"
#include "findings.h"

namespace __ok {
static int printed_lines = 0;  // of this call
constexpr int MOST_PRINTED = 64;

void start_printing() { printed_lines = 0; }

static int print(const char* format, va_list values, uintptr_t pc) {
    if (worker && worker->current) cannot_be_repeated();
    if (is_program) return vprintf(format, values);
    char text[256];
    int length = vsnprintf(text, sizeof text, format, values);
    if (!worker || __atomic_fetch_add(&printed_lines, 1, __ATOMIC_RELAXED) >= MOST_PRINTED) return length;
    size_t end = strlen(text);
    while (end && (text[end - 1] == '\n' || text[end - 1] == ' ')) text[--end] = 0;
    Finding("printed", static_cast<uint64_t>(printed_lines)).code_at(pc).where().text("text", text).add();
    return length;
}
}  // namespace __ok

extern "C" {
int printf(const char* format, ...) {
    va_list values;
    va_start(values, format);
    int length = __ok::print(format, values, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    va_end(values);
    return length;
}
int __printf_chk(int, const char* format, ...) {  // what printf becomes with _FORTIFY_SOURCE
    va_list values;
    va_start(values, format);
    int length = __ok::print(format, values, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    va_end(values);
    return length;
}
}

// printf: what a kernel prints is kept with its line, block and thread, as CUDA keeps it in a buffer until the host looks.
// Where a launcher is graded the host must not: then the text lies in closed pages until the call has ended.
#include <sys/mman.h>

#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "../machine/nested.h"
#include "../machine/program.h"
#include "../machine/repeated.h"
#include "../machine/state.h"
#include "../machine/undefined.h"
#include "../memory/host_memory.h"
#include "findings.h"

namespace __ok {
static int printed_lines = 0;  // of this call
constexpr int MOST_PRINTED = 64;
constexpr size_t PRINTED_BYTES = 256;
constexpr size_t CLOSED_BYTES = MOST_PRINTED * PRINTED_BYTES;
static std::mutex printed_lock;
static char* closed = nullptr;

void start_printing() { printed_lines = 0; }

static void copy_closed(char* to, const char* from, size_t bytes) {
    mprotect(closed, CLOSED_BYTES, PROT_READ | PROT_WRITE);
    memcpy(to, from, bytes);
    mprotect(closed, CLOSED_BYTES, PROT_NONE);
}

// What stands for the text in a finding: of line 3, "@printed-3@".
static std::string put_away(int line, const char (&text)[PRINTED_BYTES]) {
    std::lock_guard<std::mutex> lock(printed_lock);
    if (!closed) {
        void* p = mmap(nullptr, CLOSED_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return "";
        closed = static_cast<char*>(p);
    }
    copy_closed(closed + line * PRINTED_BYTES, text, PRINTED_BYTES);
    return "@printed-" + std::to_string(line) + "@";
}

std::string with_printed(const std::string& json) {
    constexpr std::string_view mark = "\"@printed-";
    const size_t at = closed ? json.find(mark) : std::string::npos;
    if (at == std::string::npos) return json;
    const int line = atoi(json.c_str() + at + mark.size());
    if (line < 0 || line >= MOST_PRINTED) return json;
    char text[PRINTED_BYTES];
    std::lock_guard<std::mutex> lock(printed_lock);
    copy_closed(text, closed + line * PRINTED_BYTES, PRINTED_BYTES);
    return json.substr(0, at) + Json().value(text).text() + json.substr(json.find('@', at + mark.size()) + 2);
}

// A string that a kernel prints is read by the device: told where the launch was given it from the host.
static void look_for_strings(const char* format, va_list given, uintptr_t pc) {
    va_list values;
    va_copy(values, given);
    bool known = true;
    for (const char* p = format; known && *p; p++) {
        if (*p != '%') continue;
        int width = 0;
        for (p++; *p && !isalpha(static_cast<unsigned char>(*p)) && *p != '%'; p++)
            if (*p == '*') width = va_arg(values, int);
        (void)width;
        bool wide = false;
        for (; *p && strchr("hljztqL", *p); p++) wide |= strchr("ljztq", *p) != nullptr;
        if (!*p) break;
        if (*p == 's') {
            const uintptr_t address = reinterpret_cast<uintptr_t>(va_arg(values, const char*));
            if (in_host_argument(address)) report_host_pointer(*worker, address, false, pc);
        } else if (strchr("diouxXc", *p)) {
            if (wide) (void)va_arg(values, long);
            else (void)va_arg(values, int);
        } else if (strchr("aAeEfFgG", *p)) {
            (void)va_arg(values, double);
        } else if (*p == 'p') {
            (void)va_arg(values, void*);
        } else {
            known = *p == '%';
        }
    }
    va_end(values);
}

// The format of a kernel as our vprintf takes it: `%zu`, whose size a GPU's printf does not know, is printed as it stands.
// An H200 does so (CUDA 13.0). What it does with the argument then is not documented: here `%.0s` passes over it.
// Source: CUDA C++ Programming Guide, "Formatted Output": h, l and ll.
static std::string as_on_the_device(const char* format, uintptr_t pc) {
    Busy busy;
    std::string out;
    for (const char* p = format; *p;) {
        const size_t flags = *p == '%' ? 1 + strspn(p + 1, "-+ #0123456789.*") : 0;
        if (!flags) {
            out += *p++;
        } else if (!p[flags] || !strchr("zjt", p[flags]) || !isalpha(static_cast<unsigned char>(p[flags + 1]))) {
            const size_t length = flags + (p[flags] != 0);
            out.append(p, length);
            p += length;
        } else {
            const std::string letters(p, flags + 2);
            out += "%" + letters;
            for (const char c : letters) out += c == '*' ? "%.0s" : "";
            out += "%.0s";
            Finding("no-size", pc).code_at(pc).text("text", letters).add();
            p += letters.size();
        }
    }
    return out;
}

static int print(const char* format, va_list values, uintptr_t pc) {
    std::string of_device;
    if (worker && worker->current) {
        cannot_be_repeated();
        if (!is_nested()) look_for_strings(format, values, pc);
        if (strpbrk(format, "zjt")) format = (of_device = as_on_the_device(format, pc)).c_str();
    }
    if (worker && worker->current && worker->launch->undefined) {
        char text[PRINTED_BYTES];
        va_list again;
        va_copy(again, values);
        vsnprintf(text, sizeof text, format, again);
        va_end(again);
        undefined_printed(text, strlen(text));
    }
    if (is_program) return vprintf(format, values);
    char text[PRINTED_BYTES];
    int length = vsnprintf(text, sizeof text, format, values);
    const int line = worker ? __atomic_fetch_add(&printed_lines, 1, __ATOMIC_RELAXED) : MOST_PRINTED;
    if (line >= MOST_PRINTED) return length;
    size_t end = strlen(text);
    while (end && (text[end - 1] == '\n' || text[end - 1] == ' ')) text[--end] = 0;
    Busy busy;
    const bool hides = options & SCRAMBLE && worker->current;
    const std::string shown = hides ? put_away(line, text) : text;
    Finding("printed", static_cast<uint64_t>(printed_lines)).code_at(pc).where().text("text", shown).add();
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

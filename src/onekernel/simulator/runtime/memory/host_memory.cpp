// Memory of the host, seen from kernels: what a launch passes of it by mistake, and what the host has registered for them.
#include "host_memory.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "../machine/launch.h"
#include "../machine/repeated.h"
#include "../report/findings.h"
#include "memory.h"

namespace __ok {
namespace {
struct HostArgument {  // of the running launch
    uintptr_t address;
    std::string name;
};
std::vector<HostArgument> passed;
Site launched_at{nullptr, 0};
struct Registered {
    uintptr_t low, high;
};
std::vector<Registered> registered;
std::vector<Registered> values_at;  // arguments by value: a constructor of theirs copies them for each thread
constexpr uintptr_t REACH = uintptr_t(1) << 32;  // bytes behind a pointer that belong to it rather than to nobody

const HostArgument* argument_of(uintptr_t address) {
    const HostArgument* best = nullptr;
    for (const HostArgument& a : passed)
        if (address >= a.address && address - a.address < REACH && (!best || a.address > best->address)) best = &a;
    return best;
}
}  // namespace

void note_arguments(const Argument* values, int count) {
    values_at.clear();
    for (int i = 0; i < count; i++) {
        uintptr_t low = reinterpret_cast<uintptr_t>(values[i].value);
        if (values[i].kind == Argument::OTHER) values_at.push_back({low, low + static_cast<uintptr_t>(values[i].bytes)});
    }
}

bool is_registered(uintptr_t address) {
    for (const Registered& r : registered)
        if (address >= r.low && address < r.high) return true;
    return false;
}

void each_registered(void (*then)(uintptr_t low, uintptr_t high, void* data), void* data) {
    for (const Registered& r : registered) then(r.low, r.high, data);
}
static bool is_of_argument(uintptr_t address) {
    for (const Registered& r : values_at)
        if (address >= r.low && address < r.high) return true;
    return false;
}

extern "C" void ok_host_register(const void* pointer, size_t bytes) {
    uintptr_t low = reinterpret_cast<uintptr_t>(pointer);
    Busy busy;
    registered.push_back({low, low + bytes});
}
extern "C" bool ok_host_unregister(const void* pointer) {
    const size_t before = registered.size();
    for (size_t i = 0; i < registered.size(); i++)
        if (registered[i].low == reinterpret_cast<uintptr_t>(pointer)) registered.erase(registered.begin() + static_cast<long>(i--));
    return registered.size() < before;
}
extern "C" bool ok_is_host_registered(const void* pointer) { return is_registered(reinterpret_cast<uintptr_t>(pointer)); }

// The system copies the set of signals before it looks at what to do with it, which is nothing here: EFAULT tells memory
// that cannot be read. A graded process may ask this, where it may not ask for what another process could read.
bool is_readable(uintptr_t address) {
    constexpr long NOTHING = -1;
    if (address < 8) return false;  // no set at all, which is nothing to copy
    errno = 0;
    syscall(SYS_rt_sigprocmask, NOTHING, address & ~uintptr_t(7), nullptr, 8);
    return errno != EFAULT;
}

static void tell(const HostArgument& a, uintptr_t pc) {
    uint64_t line = static_cast<uint64_t>(launched_at.line);
    if (!pc) Finding("host-pointer", line, a.address).form("passed").at(launched_at).text("variable", a.name).add();
    else Finding("host-pointer", line, a.address).form("argument").at(launched_at).other_code_at(pc).here().text("variable", a.name).add();
}

void look_for_host_arguments(const LaunchSite& site, const void* const* pointers, int count) {
    passed.clear();
    launched_at = site.at;
    const char* text = site.arguments ? site.arguments : "";
    for (int i = 0; i < count; i++) {
        const char* end = strchr(text, '\n');
        std::string name(text, end ? static_cast<size_t>(end - text) : strlen(text));
        uintptr_t address = reinterpret_cast<uintptr_t>(pointers[i]);
        bool of_device = heap_base && address - heap_base < HEAP_BYTES;
        if (address > 4096 && !of_device && !symbol_at(address) && !is_registered(address) && !is_of_argument(address) && is_readable(address))
            passed.push_back({address, name.empty() ? "?" : name});
        text = end ? end + 1 : "";
    }
}

// Where accesses are not watched, what is passed is told at once: the kernel would read or write what the host owns.
bool refuse_host_arguments() {
    if (options & BOUNDS || passed.empty()) return false;
    for (const HostArgument& a : passed) tell(a, 0);
    return true;
}

bool in_host_argument(uintptr_t address) { return !passed.empty() && argument_of(address); }

void report_host_pointer(Worker& w, uintptr_t address, bool writes, uintptr_t pc) {
    // This is the runtime itself: of a template of the standard library's, such as std::string's, it may have been linked with the
    // copy in the program's own file, which is watched.
    if (w.busy) return;
    uintptr_t indices = reinterpret_cast<uintptr_t>(&ok_threadIdx);  // clang's hooks see threadIdx itself
    if (address - indices + 4096 < 8192) return;
    if (is_registered(address) || (!writes && is_of_argument(address))) {
        cannot_be_repeated();
        return;
    }
    w.suspect = address;
    if (!is_readable(address)) return;  // the crash that follows says more
    if (const HostArgument* a = argument_of(address)) tell(*a, pc);
    else Finding("host-pointer", pc).form("anywhere").about(address).code_at(pc).here().add();
    stop_launch(ERROR_ILLEGAL_ADDRESS);
}

extern "C" void ok_of_host(const char* function, Site at) {
    if (!worker || !worker->current) return;
    Finding("host-pointer", uint64_t(at.line)).form("code").at(at).here().text("variable", function).add();
    stop_launch(ERROR_ILLEGAL_ADDRESS);
}

// A function of a library that code of the file calls at `pc` (compilation/fences.py): a kernel may call none.
extern "C" void ok_library_of_host(const char* function, uintptr_t pc) {
    if (!worker || !worker->current) return;
    Finding("host-pointer", pc).form("library").code_at(pc).here().text("variable", function).add();
    stop_launch(ERROR_ILLEGAL_ADDRESS);
}
}  // namespace __ok

#include "unasked.h"

#include <unwind.h>

#include <mutex>
#include <string>
#include <vector>

#include "../machine/signal_context.h"
#include "../machine/launch.h"
#include "findings.h"

namespace __ok {
namespace {
constexpr size_t MOST_UNASKED = 64, MOST_FRAMES = 24;
constexpr int NOT_READY = 600;  // an answer, and no error
struct Unasked {
    int error;
    std::string kernel;  // of a launch
    long long address;
    Site at;
    std::vector<uintptr_t> stack;
};
std::mutex unasked_lock;  // the program may have threads
std::vector<Unasked> unasked;
__thread const LaunchSite* launching = nullptr;
__thread bool in_launch = false;

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* raw) {
    auto& stack = *static_cast<std::vector<uintptr_t>*>(raw);
    uintptr_t pc = _Unwind_GetIP(context);
    if (in_code(pc)) stack.push_back(pc);
    return stack.size() < MOST_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}
}  // namespace

std::vector<uintptr_t> stack_of_host() {
    std::vector<uintptr_t> stack;
    _Unwind_Backtrace(add_frame, &stack);
    return stack;
}

Launching::Launching(const LaunchSite& site) {
    launching = site.kernel ? &site : nullptr;
    in_launch = true;
}
Launching::~Launching() {
    launching = nullptr;
    in_launch = false;
}
bool is_launching() { return in_launch; }

void note_unasked(int error) {
    // What the simulator does not have is told where it is asked for.
    std::lock_guard<std::mutex> lock(unasked_lock);
    if (error == NOT_READY || error == ERROR_NOT_SUPPORTED || unasked.size() == MOST_UNASKED) return;
    if (launching) {
        unasked.push_back({error, launching->kernel, code_offset(launching->address), launching->at, {}});
        return;
    }
    unasked.push_back({error, "", 0, Site(nullptr, 0), stack_of_host()});
}

void forget_unasked() {
    std::lock_guard<std::mutex> lock(unasked_lock);
    unasked.clear();
}

void tell_unasked() {
    for (const Unasked& u : unasked) {
        uint64_t place = 0;
        for (uintptr_t pc : u.stack) place = place * 31 + pc;
        Finding("unasked-error", place, uint64_t(u.at.line)).form(u.kernel.empty() ? "call" : "launch").at(u.at).code_at(u.stack)
            .text("kernel", u.kernel).number("kernel_at", u.address).number("status", u.error).add();
    }
    unasked.clear();
}
}  // namespace __ok

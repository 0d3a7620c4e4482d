// Faults, and calls that end without returning: a signal handler gives control back to the scheduler, and a finding names
// the line.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "../memory/memory.h"
#include "../memory/pinned.h"
#include "../report/findings.h"
#include "crash.h"
#include "launch.h"
#include "program.h"
#include "signal_context.h"
#include "time_limit.h"
#include "undefined.h"

namespace __ok {
static sigjmp_buf call_env;
static volatile bool in_call = false;
static __thread char* signal_stack = nullptr;
static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction before[5], before_limit;

// Out of the launcher; of a program the end, with the status that a shell gives to what a signal ends.
[[noreturn]] static void leave_call(int error, int signal = SIGABRT) {
    end_if_copy();
    set_fault(error);
    if (is_program) end_program(128 + signal);
    siglongjmp(call_env, 1);
}

static const char* kind_of(int signal, const Worker* w, uintptr_t address, const ucontext_t* context) {
    if (signal == SIGFPE) return "division-by-zero";
    if (signal == SIGABRT) return "abort";
    if (signal == SIGILL) return "illegal-instruction";
    if (w && in_stack_guard(*w, address)) return "stack-overflow";
    if (w && went_astray(context)) return "astray";
    return address < 4096 ? "null-pointer" : "wild-pointer";
}

constexpr uintptr_t MALLOC_HEADER = 16;  // bytes that glibc's free() looks at in front of what it is given

static void handler(int signal, siginfo_t* info, void* raw) {
    const ucontext_t* context = static_cast<const ucontext_t*>(raw);
    Worker* w = worker;
    uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (info->si_code == SI_KERNEL && w) address = w->suspect;  // the processor does not tell it for an impossible address
    if (is_program && !w && signal != limit_signal()) worker = w = &bystander();  // a thread that the program has made
    if (!in_call || !w) {
        if (signal == limit_signal()) return;
        for (int i = 0; i < 5; i++)
            if (FAULTS[i] == signal) sigaction(signal, &before[i], nullptr);
        return;  // happens again, with the handler that was there before
    }
    if (signal == limit_signal()) {
        if (!is_over_time(*w, context)) return;
        w->busy = 0;
        if (!w->current) leave_call(ERROR_LAUNCH_TIMEOUT, SIGXCPU);
        stop_launch(ERROR_LAUNCH_TIMEOUT);
    }
    w->busy = 0;
    if (!w->current) {
        bool device = heap_base && address - heap_base < HEAP_BYTES;
        if (Allocation* a = device ? managed_at(address) : nullptr) {  // told once; the program goes on
            // Pinned memory may be closed for a moment alone, while another thread of the host copies.
            PinnedUse use{};
            const bool meant = is_atomic(pc_of(context)), in_use = a->pinned && pinned_in_use(*a, address, &use);
            if (!a->pinned && !meant)
                Finding("host-too-early").form("managed").code_at(stack_of(context)).array("variable", name_of(*a)).add();
            else if (in_use && use.kind == PinnedUse::KERNEL && !meant && !is_write(context))
                Finding("mapped-too-early").code_at(stack_of(context)).other_at(use.at).add();
            else if (in_use && use.kind != PinnedUse::KERNEL)
                Finding("host-too-early").form(use.kind == PinnedUse::ARRIVES ? "arrives" : "leaves").code_at(stack_of(context)).other_at(use.at).add();
            open_to_host(*a);
            return;
        }
        if (device) {
            const Allocation* a = nearest(address);
            const bool before = a && a->managed && address < a->low && a->low - address <= MALLOC_HEADER;
            Finding("host-touches-device").form(!before ? is_program ? "program" : "plain" : a->pinned ? "before-pinned" : "before-managed")
                .code_at(stack_of(context)).other_at(a ? Site(a->made_file, a->made_line) : Site(nullptr, 0))
                .array("variable", a ? name_of(*a) : "").add();
        } else {
            const bool full = signal == SIGSEGV && in_full_stack(context, address);
            const char* kind = full ? "full-stack" : kind_of(signal, nullptr, address, context);
            if (is_program) Finding("host-crash").form("program", kind).code_at(stack_of(context)).add();
            else Finding("host-crash").form(kind).code_at(stack_of(context)).add();
        }
        leave_call(ERROR_ILLEGAL_ADDRESS, signal);
    }
    w->busy = 1;  // what is put together here is not the kernel's memory, which may be what cannot be used
    const char* kind = kind_of(signal, w, address, context);
    // A hook has judged this access already: an index out of a buffer's bounds says more than a crash, and a crash more
    // than "memory of the host".
    bool told = w->suspect == address && heap_base && address - heap_base < HEAP_BYTES;
    if (w->suspect == address) withdraw("host-pointer", address);
    if (!told && !strcmp(kind, "stack-overflow")) Finding("stack-overflow").code_at(stack_of(context)).here().add();
    else if (!told) Finding("crash").form(kind).code_at(stack_of(context)).here().hex("address", address).add();
    w->busy = 0;
    stop_launch(signal == SIGSEGV || signal == SIGBUS ? ERROR_ILLEGAL_ADDRESS : ERROR_LAUNCH_FAILURE);
}

void guard_thread() {
    if (!signal_stack)
        signal_stack = static_cast<char*>(mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    stack_t stack{};
    stack.ss_sp = signal_stack;
    stack.ss_size = 65536;
    sigaltstack(&stack, nullptr);
    start_time_limit();
}

void unguard_thread() {
    end_time_limit();
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
}

static void install() {
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 5; i++) sigaction(FAULTS[i], &action, &before[i]);
    sigaction(limit_signal(), &action, &before_limit);
}

static void uninstall() {
    for (int i = 0; i < 5; i++) sigaction(FAULTS[i], &before[i], nullptr);
    sigaction(limit_signal(), &before_limit, nullptr);
}

// As `guarded`, for the process's whole life.
void guard_program() {
    install();
    guard_thread();
    in_call = true;
}

bool guarded(void (*body)(void*), void* context) {
    stack_t mine{};
    sigaltstack(nullptr, &mine);
    install();
    guard_thread();
    in_call = true;
    bool returned = false;
    if (sigsetjmp(call_env, 1) == 0) {
        body(context);
        returned = true;
    }
    in_call = false;
    unguard_thread();
    uninstall();
    sigaltstack(&mine, nullptr);
    return returned;
}

// A launcher that calls exit() would take the grader's process along.
[[noreturn]] void left_by_exit(int status, uintptr_t pc) {
    end_if_copy();
    if (is_program) leave_program(status);
    Worker* w = worker;
    if (in_call && w) {
        Finding("exit-called").code_at(pc).add();
        leave_call(ERROR_LAUNCH_FAILURE);
    }
    _exit(1);
}

// Whatever the caller would find in the register, a GPU would have something else there.
[[noreturn]] void missing_return(Site at) {
    Worker* w = worker;
    if (!in_call || !w) abort();
    Finding("missing-return", uint64_t(at.line)).at(at).where().add();
    if (!w->current) leave_call(ERROR_LAUNCH_FAILURE);
    stop_launch(ERROR_LAUNCH_FAILURE);
}

void trap(const char* what, Site at) {
    Worker* w = worker;
    Finding("trap", uint64_t(at.line)).at(at).where().text("what", what).add();
    if (!w->current) leave_call(ERROR_LAUNCH_FAILURE);
    stop_launch(ERROR_LAUNCH_FAILURE);
}

void assert_failed(const char* expression, Site at) {
    Finding("assert-failed", uint64_t(at.line)).at(at).where().text("expression", expression).add();
    if (is_program && !worker->current) fprintf(stderr, "%s:%d: assertion `%s' failed.\n", at.file, at.line, expression);
    if (!worker->current) leave_call(ERROR_ASSERT);
    stop_launch(ERROR_ASSERT);
}

extern "C" void ok_unsupported(const char* what, Site at) {
    ok_fail(ERROR_NOT_SUPPORTED);
    Finding("unsupported", uint64_t(at.line)).at(at).text("what", what).add();
}
}  // namespace __ok

extern "C" {
__attribute__((noreturn)) void exit(int status) {
    __ok::left_by_exit(status, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}
__attribute__((noreturn)) void __assert_fail(const char* expression, const char* file, unsigned line,
                                                                   const char*) noexcept {
    __ok::assert_failed(expression, __ok::Site(file, static_cast<int>(line)));
    __builtin_unreachable();
}
}

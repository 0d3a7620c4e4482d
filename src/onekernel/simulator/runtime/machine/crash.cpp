// Faults and endless loops: a signal handler hands control back to the scheduler, and the finding names the line.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "../memory/host_memory.h"
#include "../memory/memory.h"
#include "../memory/pinned.h"
#include "../report/findings.h"
#include "crash.h"
#include "launch.h"
#include "less.h"
#include "program.h"

namespace __ok {
static double time_limit = 10;
static sigjmp_buf call_env;
static volatile bool in_call = false;
static __thread timer_t timer;
static __thread bool has_timer = false;
static __thread int tries = 0;
// The half of the time limit in which a launch is looked at now and then, in pieces.
constexpr int PIECES = 8;
static __thread int pieces_over = 0;
// How far the running launch is: blocks that have begun, threads of the last one that have ended, and its clock.
struct Reached {
    unsigned launch = 0;
    uint64_t begun = 0, block = 0;
    int ended = 0;
    uint32_t time = 0;
};
static __thread Reached half_way;  // when half of the time was over; before that, when the last piece was
static __thread char* signal_stack = nullptr;
static uintptr_t code_low = 0, code_high = 0;
static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction before[5], before_limit;
static int limit_signal() { return SIGRTMIN + 5; }

void set_time_limit(double seconds) { time_limit = seconds; }
void set_code(uintptr_t low, uintptr_t high) {
    code_low = low;
    code_high = high;
}

bool in_code(uintptr_t pc) { return pc >= code_low && pc < code_high; }

// The addresses of code on the stack, innermost first: whoever resolves them takes the first of the learner's file.
__attribute__((no_sanitize("address"))) static std::vector<uintptr_t> stack_of(const ucontext_t* context) {
    std::vector<uintptr_t> pcs;
#if defined(__x86_64__)
    uintptr_t pc = context->uc_mcontext.gregs[REG_RIP], sp = context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    uintptr_t pc = context->uc_mcontext.pc, sp = context->uc_mcontext.sp;
#else
    uintptr_t pc = 0, sp = 0;
#endif
    if (in_code(pc)) pcs.push_back(pc + 1);  // return addresses lie behind their instruction: treat this one alike
#if defined(__aarch64__)
    if (in_code(context->uc_mcontext.regs[30])) pcs.push_back(context->uc_mcontext.regs[30]);
#endif
    if (!sp) return pcs;
    uintptr_t page_end = (sp | 4095) + 1;  // the next page may not exist
    const Worker* w = worker;
    // By rank alone: a thread's turn begins with several stores, and `current` may already be the next thread here.
    if (w && w->current && w->threads[w->rank].stack >= 0) {
        int stack = w->threads[w->rank].stack;
        uintptr_t top = reinterpret_cast<uintptr_t>(stack_top(const_cast<Worker&>(*w), stack));
        uintptr_t bottom = reinterpret_cast<uintptr_t>(w->stacks) + size_t(stack) * (GUARD_BYTES + STACK_BYTES) + GUARD_BYTES;
        if (sp < bottom && bottom - sp <= GUARD_BYTES) sp = bottom;  // the overflow itself
        uintptr_t saved = reinterpret_cast<uintptr_t>(w->contexts[w->rank]);
        if ((sp < bottom || sp >= top) && saved >= bottom && saved < top) sp = saved;  // between two threads, in ok_barrier
        if (sp < top && top - sp <= STACK_BYTES) page_end = std::min(top, sp + 4096);
    }
    bool of_host = !w || !w->current;
    for (int more = 0; of_host && more < 4 && is_readable(page_end); more++) page_end += 4096;
    int found = 0, most = of_host ? 64 : 12;  // a library's templates may stand between, call within call
    for (uintptr_t p = (sp + 7) & ~uintptr_t(7); p + 8 <= page_end && found < most; p += 8) {
        uintptr_t word = *reinterpret_cast<uintptr_t*>(p);
        if (in_code(word)) {
            pcs.push_back(word);
            found++;
        }
    }
    return pcs;
}

static uintptr_t pc_of(const ucontext_t* context) {
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

// Whether the instruction reads and writes as one: what the host does so to memory that a kernel may be using is meant.
static bool is_atomic(uintptr_t pc) {
#if defined(__x86_64__)  // a lock prefix, behind others perhaps, or xchg, which needs none
    auto byte = reinterpret_cast<const uint8_t*>(pc);
    while (*byte == 0x66 || *byte == 0x67 || *byte >> 4 == 4) byte++;
    return *byte == 0xf0 || *byte == 0x86 || *byte == 0x87;
#elif defined(__aarch64__)  // exclusive pairs; the atomics of ARMv8.1
    const uint32_t word = *reinterpret_cast<const uint32_t*>(pc);
    return (word & 0x3f000000) == 0x08000000 || (word & 0x3b200c00) == 0x38200000;
#else
    (void)pc;
    return false;
#endif
}

// Whether it was a write that faulted, where the processor tells: a host that sets a flag for a running kernel means it.
static bool is_write(const ucontext_t* context) {
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_ERR] & 2;
#else
    (void)context;
    return false;
#endif
}

static void arm(double seconds) {
    if (!has_timer) return;
    itimerspec spec{};
    spec.it_value.tv_sec = static_cast<time_t>(seconds);
    spec.it_value.tv_nsec = static_cast<long>((seconds - static_cast<double>(spec.it_value.tv_sec)) * 1e9);
    timer_settime(timer, 0, &spec, nullptr);
}

double stop_time_limit() {
    itimerspec now{};
    if (has_timer) timer_gettime(timer, &now);
    arm(0);
    return static_cast<double>(now.it_value.tv_sec) + 1e-9 * static_cast<double>(now.it_value.tv_nsec);
}

void resume_time_limit(double seconds_left) { arm(std::max(seconds_left, 1e-3)); }

// Out of the launcher; of a program the end, with the status that a shell gives to what a signal ends.
[[noreturn]] static void leave_call(int error, int signal = SIGABRT) {
    set_fault(error);
    if (is_program) end_program(128 + signal);
    siglongjmp(call_env, 1);
}

static const char* kind_of(int signal, const Worker* w, uintptr_t address) {
    if (signal == SIGFPE) return "division-by-zero";
    if (signal == SIGABRT) return "abort";
    if (signal == SIGILL) return "illegal-instruction";
    if (w && in_stack_guard(*w, address)) return "stack-overflow";
    return address < 4096 ? "null-pointer" : "wild-pointer";
}

static Reached reached(const Worker& w) {
    if (!w.launch) return {};
    return {w.launch->serial, w.launch->next.load(), w.block, w.launch->threads - w.alive, w.time};
}

// A loop that does not end, or only much work: where several blocks, or several threads of the one that runs, have ended
// since half of the time was over, it is the latter. Of a block whose threads only go on meeting nobody can say.
static void tell_time_limit(const Worker& w, const ucontext_t* context) {
    long long seconds = static_cast<long long>(time_limit);
    Reached now = reached(w), then = now.launch == half_way.launch ? half_way : Reached();
    bool one_block = now.launch == half_way.launch && now.block == half_way.block;
    bool blocks_end = now.begun > then.begun + (then.launch ? 1 : 2);
    if (!w.current || (!blocks_end && !one_block)) {
        Finding("time-limit").code_at(stack_of(context)).where().number("seconds", seconds).add();
        return;
    }
    double threads = w.launch->threads, blocks = static_cast<double>(w.launch->blocks);
    double whole = blocks_end ? blocks : threads * blocks;
    double done = blocks_end ? std::min(static_cast<double>(now.begun), blocks) : threads * static_cast<double>(std::max<uint64_t>(now.begun, 1) - 1) + now.ended;
    double since = blocks_end ? static_cast<double>(now.begun - then.begun) : now.ended - then.ended;
    auto needed = seconds + 1 + static_cast<long long>((whole - done) * (time_limit / 2) / std::max(since, 1.0));
    if (blocks_end)
        Finding("time-limit").form("slow").at(w.launch->site->at).here().number("seconds", seconds)
            .number("done", static_cast<long long>(done)).number("blocks", static_cast<long long>(blocks)).number("needed", needed).add();
    else if (now.ended > then.ended + 1)
        Finding("time-limit").form("threads").code_at(stack_of(context)).here().number("seconds", seconds)
            .number("done", now.ended).number("threads", w.launch->threads).number("needed", needed).add();
    else if (now.time > then.time + 1)
        Finding("time-limit").form("meets").code_at(stack_of(context)).here().number("seconds", seconds)
            .number("met", now.time - then.time).add();
    else
        Finding("time-limit").code_at(stack_of(context)).where().number("seconds", seconds).add();
}

// Whether the running launch, at its pace since the last look, would need two and a half times the whole limit from here.
static bool is_far_too_large(const Worker& w, const Reached& now) {
    if (!w.current || now.launch != half_way.launch || now.begun <= half_way.begun) return false;
    return w.launch->blocks - std::min(now.begun, w.launch->blocks) > (now.begun - half_way.begun) * (5 * PIECES);
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
        // Not while a lock is held or another library runs, unless that goes on and on.
        if ((w->busy || !in_code(pc_of(context))) && ++tries < 500) {
            arm(0.002);
            return;
        }
        if (pieces_over < PIECES) {  // how far it is at half of the time tells later whether it goes on
            const Reached now = reached(*w);
            const bool is_half = ++pieces_over == PIECES;
            if (is_half || is_far_too_large(*w, now)) ask_for_less(*w);
            half_way = now;
            arm(is_half ? time_limit / 2 : time_limit / 2 / PIECES);
            return;
        }
        tell_time_limit(*w, context);
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
                Finding("host-too-early").form("managed").code_at(stack_of(context)).array("variable", a->name).add();
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
            Finding("host-touches-device").form(!before ? "plain" : a->pinned ? "before-pinned" : "before-managed")
                .code_at(stack_of(context)).array("variable", a ? a->name : "").add();
        } else {
            const char* kind = kind_of(signal, nullptr, address);
            if (is_program) Finding("host-crash").form("program", kind).code_at(stack_of(context)).add();
            else Finding("host-crash").form(kind).code_at(stack_of(context)).add();
        }
        leave_call(ERROR_ILLEGAL_ADDRESS, signal);
    }
    const char* kind = kind_of(signal, w, address);
    // A hook has judged this access already: an index out of a buffer's bounds says more than a crash, and a crash more
    // than "memory of the host".
    bool told = w->suspect == address && heap_base && address - heap_base < HEAP_BYTES;
    if (w->suspect == address) withdraw("host-pointer", address);
    if (!told && !strcmp(kind, "stack-overflow")) Finding("stack-overflow").code_at(stack_of(context)).here().add();
    else if (!told) Finding("crash").form(kind).code_at(stack_of(context)).here().hex("address", address).add();
    stop_launch(signal == SIGSEGV || signal == SIGBUS ? ERROR_ILLEGAL_ADDRESS : ERROR_LAUNCH_FAILURE);
}

void guard_thread() {
    if (!signal_stack)
        signal_stack = static_cast<char*>(mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    stack_t stack{};
    stack.ss_sp = signal_stack;
    stack.ss_size = 65536;
    sigaltstack(&stack, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = limit_signal();
#ifndef sigev_notify_thread_id
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
#else
    event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
#endif
    tries = 0;
    pieces_over = 0;
    has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
    arm(time_limit / 2 / PIECES);
}

void unguard_thread() {
    if (has_timer) timer_delete(timer);
    has_timer = false;
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

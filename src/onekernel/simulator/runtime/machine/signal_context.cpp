// Registers and stack of a thread that a signal stopped.
#include <unwind.h>

#include <algorithm>

#include "../memory/host_memory.h"
#include "fiber.h"
#include "signal_context.h"

extern "C" void* __libc_stack_end;  // glibc's: where the first thread's stack begins

namespace __ok {
static uintptr_t code_low = 0, code_high = 0;

void set_code(uintptr_t low, uintptr_t high) {
    code_low = low;
    code_high = high;
}

bool in_code(uintptr_t pc) { return pc >= code_low && pc < code_high; }

static uintptr_t sp_of(const ucontext_t* context) {
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return context->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

__attribute__((no_sanitize("address"))) std::vector<uintptr_t> stack_of(const ucontext_t* context) {
    std::vector<uintptr_t> pcs;
    uintptr_t pc = pc_of(context), sp = sp_of(context);
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
    if (of_host && !is_readable(sp)) return pcs;  // its stack is full
    // A library's templates may stand between, call within call, some with tables of their own: Thrust's sort has 16 KB.
    for (int more = 0; of_host && more < 256 && is_readable(page_end); more++) page_end += 4096;
    int found = 0, most = of_host ? 64 : 12;
    for (uintptr_t p = (sp + 7) & ~uintptr_t(7); p + 8 <= page_end && found < most; p += 8) {
        uintptr_t word = *reinterpret_cast<uintptr_t*>(p);
        if (in_code(word)) {
            pcs.push_back(word);
            found++;
        }
    }
    return pcs;
}

namespace {
struct Walk {
    uintptr_t pc, top;  // where the thread was stopped, and where its stack begins
    bool begun;         // before that stand the handler's own frames
    std::vector<uintptr_t> pcs;
};

_Unwind_Reason_Code walk_frame(_Unwind_Context* frame, void* raw) {
    Walk& walk = *static_cast<Walk*>(raw);
    const uintptr_t pc = _Unwind_GetIP(frame);
    const bool first = !walk.begun && pc == walk.pc;
    walk.begun |= first;
    if (!walk.begun) return _URC_NO_REASON;
    if (in_code(pc)) walk.pcs.push_back(first ? pc + 1 : pc);
    return walk.pcs.size() < 12 && _Unwind_GetCFA(frame) + 64 < walk.top ? _URC_NO_REASON : _URC_END_OF_STACK;
}
}  // namespace

std::vector<uintptr_t> frames_of(const ucontext_t* context) {
    const Worker* w = worker;
    if (!w || !w->current || w->threads[w->rank].stack < 0) return stack_of(context);
    const uintptr_t top = reinterpret_cast<uintptr_t>(stack_top(const_cast<Worker&>(*w), w->threads[w->rank].stack));
    const uintptr_t sp = sp_of(context);
    std::vector<uintptr_t> pcs, scanned = stack_of(context);
    if (sp >= top || top - sp > STACK_BYTES) return scanned;  // between two threads
    Walk walk{pc_of(context), top, false, {}};
    _Unwind_Backtrace(walk_frame, &walk);
    for (uintptr_t pc : walk.pcs)  // while a turn begins, registers are another thread's, and frames another stack's
        if (std::find(scanned.begin(), scanned.end(), pc) != scanned.end()) pcs.push_back(pc);
    pcs.insert(pcs.end(), scanned.begin(), scanned.end());
    return pcs;
}

bool in_full_stack(const ucontext_t* context, uintptr_t address) {
    constexpr uintptr_t BELOW = 4096;  // what a call, or a leaf function, writes under the stack pointer
    const uintptr_t sp = sp_of(context);
    return sp && address >= sp - BELOW && address < reinterpret_cast<uintptr_t>(__libc_stack_end);
}

// A block's first thread is named `current` before the worker has saved where it will go on; and threads change on its stack.
static bool between_threads(const Worker& w, const ucontext_t* context) {
    return w.current && sp_of(context) - reinterpret_cast<uintptr_t>(w.stacks) >= STACKS_BYTES;
}

bool may_leave(const Worker& w, const ucontext_t* context) {
    return !w.busy && in_code(pc_of(context)) && !between_threads(w, context);
}

uintptr_t pc_of(const ucontext_t* context) {
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

bool went_astray(const ucontext_t* context) {
    const uintptr_t pc = pc_of(context);
#if defined(__x86_64__)
    const auto bytes = reinterpret_cast<const uint8_t*>(pc);
    if (in_code(pc)) return *bytes == 0xc3;  // ret: the processor does not go to an impossible address at all
    if (is_readable(pc)) return false;
    // Whoever called a null pointer left the way back on the stack.
    const uintptr_t sp = context->uc_mcontext.gregs[REG_RSP];
    return is_readable(sp) && !in_code(*reinterpret_cast<const uintptr_t*>(sp));
#elif defined(__aarch64__)
    return !in_code(pc) && context->uc_mcontext.regs[30] == pc;
#else
    (void)pc;
    return false;
#endif
}

bool is_atomic(uintptr_t pc) {
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

bool is_write(const ucontext_t* context) {
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_ERR] & 2;
#else
    (void)context;
    return false;
#endif
}
}  // namespace __ok

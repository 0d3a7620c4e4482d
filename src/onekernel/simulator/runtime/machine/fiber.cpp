#include "fiber.h"

#if defined(OK_UCONTEXT) || !(defined(__x86_64__) || defined(__aarch64__))
#include <ucontext.h>

namespace __ok {
extern "C" void ok_fiber_switch(void** save, void* to) {
    ucontext_t self;
    *save = &self;
    swapcontext(&self, static_cast<ucontext_t*>(to));
}
void* ok_fiber_make(void* stack_top, void (*entry)()) {
    ucontext_t* fresh = static_cast<ucontext_t*>(stack_top) - 1;
    getcontext(fresh);
    size_t bytes = STACK_BYTES / 2;  // the top is staggered: half is safe for every stagger
    fresh->uc_stack.ss_sp = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(fresh) & ~uintptr_t(15)) - bytes;
    fresh->uc_stack.ss_size = bytes;
    fresh->uc_link = nullptr;
    makecontext(fresh, entry, 0);
    return fresh;
}
extern "C" void ok_fiber_jump(void* to) {
    setcontext(static_cast<ucontext_t*>(to));
    __builtin_unreachable();
}
}  // namespace __ok

#elif defined(__x86_64__)
// System V ABI: rbx, rbp, r12-r15 belong to the caller. The floating-point control words are never changed.
__asm__(R"(
    .text
    .globl ok_fiber_switch
    .hidden ok_fiber_switch
    .type ok_fiber_switch, @function
ok_fiber_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size ok_fiber_switch, . - ok_fiber_switch

    .globl ok_fiber_jump
    .hidden ok_fiber_jump
    .type ok_fiber_jump, @function
ok_fiber_jump:
    movq %rdi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size ok_fiber_jump, . - ok_fiber_jump

# int ok_barrier(int vote, int predicate, Site at), the switch that kernels make most often. What decides who is next runs
# on the worker's own stack, which stays in the nearest cache; of the thread's stack two lines are touched.
    .globl ok_barrier
    .hidden ok_barrier
    .type ok_barrier, @function
ok_barrier:
    movq ok_worker@gottpoff(%rip), %rax
    movq %fs:(%rax), %rax
    testl %edi, %edi
    jne ok_barrier_vote
    cmpq $0, 8(%rax)
    je ok_barrier_vote
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rax, %rdi
    movq %rdx, %rsi
    movl %ecx, %edx
    movq %rsp, %rcx
    movq (%rax), %rsp
    subq $8, %rsp
    call ok_barrier_next
    movq %rax, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size ok_barrier, . - ok_barrier
)");

namespace __ok {
// As ok_fiber_switch leaves a context; `entry` finds the stack as after a call, from nowhere.
void* ok_fiber_make(void* stack_top, void (*entry)()) {
    void** context = static_cast<void**>(stack_top) - 8;
    for (int i = 0; i < 6; i++) context[i] = nullptr;
    context[6] = reinterpret_cast<void*>(entry);
    context[7] = nullptr;
    return context;
}
}  // namespace __ok

#else
// AAPCS64: x19-x30 and the low halves of v8-v15 belong to the caller.
__asm__(R"(
    .text
    .globl ok_fiber_switch
    .hidden ok_fiber_switch
    .type ok_fiber_switch, %function
ok_fiber_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov x0, x1
    b ok_fiber_jump
    .size ok_fiber_switch, . - ok_fiber_switch

    .globl ok_fiber_jump
    .hidden ok_fiber_jump
    .type ok_fiber_jump, %function
ok_fiber_jump:
    mov sp, x0
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size ok_fiber_jump, . - ok_fiber_jump
)");

namespace __ok {
// As ok_fiber_switch leaves a context: x29 and x30 lie at 80 and 88.
void* ok_fiber_make(void* stack_top, void (*entry)()) {
    void** context = static_cast<void**>(stack_top) - 20;
    for (int i = 0; i < 20; i++) context[i] = nullptr;
    context[11] = reinterpret_cast<void*>(entry);
    return context;
}
}  // namespace __ok
#endif

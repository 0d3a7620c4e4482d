#include "fiber.h"

#if defined(OK_UCONTEXT) || !(defined(__x86_64__) || defined(__aarch64__))
#include <ucontext.h>

namespace __ok {
extern "C" void ok_fiber_switch(void** save, void* to) {
    ucontext_t self;
    *save = &self;
    swapcontext(&self, static_cast<ucontext_t*>(to));
}
extern "C" void ok_fiber_start(void** save, void* stack_top, void (*entry)()) {
    ucontext_t self, fresh;
    getcontext(&fresh);
    size_t bytes = STACK_BYTES / 2;  // the top is staggered: half is safe for every stagger
    fresh.uc_stack.ss_sp = static_cast<char*>(stack_top) - bytes;
    fresh.uc_stack.ss_size = bytes;
    fresh.uc_link = nullptr;
    makecontext(&fresh, entry, 0);
    if (!save) setcontext(&fresh);
    *save = &self;
    swapcontext(&self, &fresh);
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

    .globl ok_fiber_start
    .hidden ok_fiber_start
    .type ok_fiber_start, @function
ok_fiber_start:
    testq %rdi, %rdi
    je 1f
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
1:  movq %rsi, %rsp
    xorl %ebp, %ebp
    call *%rdx
    ud2
    .size ok_fiber_start, . - ok_fiber_start

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
)");

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

    .globl ok_fiber_start
    .hidden ok_fiber_start
    .type ok_fiber_start, %function
ok_fiber_start:
    cbz x0, 1f
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
1:  mov sp, x1
    mov x29, xzr
    mov x30, xzr
    blr x2
    brk #0
    .size ok_fiber_start, . - ok_fiber_start

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
#endif

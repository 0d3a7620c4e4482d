#pragma once

#include <ucontext.h>

#include <cstdint>
#include <vector>

namespace __ok {
void set_code(uintptr_t low, uintptr_t high);  // where this shared object's code lies
bool in_code(uintptr_t pc);
// The addresses of code on the stack, innermost first: whoever resolves them takes the first of the learner's file.
std::vector<uintptr_t> stack_of(const ucontext_t* context);
// The same, those of the frames first: between them the stack also holds where earlier calls returned.
std::vector<uintptr_t> frames_of(const ucontext_t* context);
uintptr_t pc_of(const ucontext_t* context);
// Whether the thread may be taken from where a signal stopped it: not while a lock is held, another library runs, or the worker
// itself chooses who is next. Whoever asks does so again later, unless that goes on and on.
bool may_leave(const Worker& w, const ucontext_t* context);
// Whether the thread went on where no code is, or is about to return there: what lay on its stack is not there any more.
bool went_astray(const ucontext_t* context);
// Whether the host ran out of stack: `address` lies between what it uses and where it began, and could not be used.
bool in_full_stack(const ucontext_t* context, uintptr_t address);
// Whether the instruction reads and writes as one: what the host does so to memory that a kernel may be using is meant.
bool is_atomic(uintptr_t pc);
// Whether it was a write that faulted, where the processor tells: a host that sets a flag for a running kernel means it.
bool is_write(const ucontext_t* context);
}  // namespace __ok

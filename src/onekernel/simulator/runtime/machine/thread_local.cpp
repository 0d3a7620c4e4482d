// What each core holds for the thread that it runs now. A library of its own: the space that a process keeps for
// thread-local variables of libraries loaded late is small, and every program would take some. All programs of a process share it.
#include "../api/ok/runtime.h"

namespace __ok { struct Worker; }
extern "C" {
__thread uint3 ok_threadIdx __attribute__((tls_model("initial-exec")));
__thread uint3 ok_blockIdx __attribute__((tls_model("initial-exec")));
__thread uint3 ok_blockDim __attribute__((tls_model("initial-exec")));
__thread uint3 ok_gridDim __attribute__((tls_model("initial-exec")));
__thread __ok::Worker* ok_worker __attribute__((tls_model("initial-exec"))) = nullptr;
int ok_stacks_made = 0;
}

// Kernel launches: checked as a driver would, run on one core or all.
#pragma once

#include "state.h"

namespace __ok {
void give_back_stacks();  // a call has ended: where the process has many
enum Error : int {  // cudaError_t's values
    SUCCESS = 0, ERROR_INVALID_VALUE = 1, ERROR_MEMORY_ALLOCATION = 2,
    ERROR_INVALID_SYMBOL = 13, ERROR_INVALID_DIRECTION = 21, ERROR_INVALID_RESOURCE_HANDLE = 400,
    ERROR_ILLEGAL_ADDRESS = 700, ERROR_LAUNCH_OUT_OF_RESOURCES = 701, ERROR_LAUNCH_TIMEOUT = 702, ERROR_ASSERT = 710, ERROR_MISALIGNED_ADDRESS = 716,
    ERROR_LAUNCH_FAILURE = 719, ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720, ERROR_NOT_SUPPORTED = 801,
    ERROR_INVALID_CLUSTER_SIZE = 912
};
// Ends the running kernel with an error that stays, as a fault on a GPU does.
[[noreturn]] void stop_launch(int error);
// A launch that CUDA would not have begun: what it declares tells so, and its threads have stored nothing before.
[[noreturn]] void refuse_begun();
void set_fault(int error);
bool faulted();               // since the call began
// A program's call into the runtime that runs kernels or moves memory: one thread's at a time. A thread that the program has
// made has a worker for as long as its call lasts.
class HostCall {
public:
    explicit HostCall(bool launches = false);
    ~HostCall();

private:
    bool mine_ = false, guest_ = false, launches_;
};
Worker& bystander();          // of a thread that the program has made, outside of calls
int launch_count();           // launches since the call began
const Launch* latest_launch();  // that runs, or has ended; null before the first
void start_call(int cores);   // forgets the last call's launches and errors
int exchange_error(int error);  // the error that cudaGetLastError would give, for another
bool in_graph();  // graphs.cpp: one is being launched
}  // namespace __ok

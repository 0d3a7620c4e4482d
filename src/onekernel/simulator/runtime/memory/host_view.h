// What the host sees of what kernels wrote. A __device__ variable has two images, as on a GPU: the device's, and the
// host's, which no kernel touches. And where a launcher is graded (Option SCRAMBLE), copies and managed memory bring it
// other bytes than the device holds, so that what is computed from them is wrong.
// But:    a call may tell the host 64 bytes and, by writing into such memory or not, as many bits again.
#pragma once

#include "../api/ok/runtime.h"
#include "memory.h"

namespace __ok {
constexpr size_t HOST_BYTES = 64;  // of a call, that reach the host as they are: a size, a flag, an error code

void start_host_view();                                            // a call begins
void copy_to_host(void* to, const void* from, size_t bytes, Site at);  // from device memory, which is open
void two_images(Allocation& symbol);                               // from now on the host has one of its own

// Device code runs, or a copy between device memory: variables and managed memory are as the device has them.
struct DeviceView {
    DeviceView();
    ~DeviceView();
};
void leave_device_view();  // whatever a fault has left
bool in_device_view();
void forget_launch();  // a launch has ended
}  // namespace __ok

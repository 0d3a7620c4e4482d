// Launches from kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", its second version). A program that has one
// includes this header first (rewrite/__init__.py). What a kernel asks for is done when its grid has ended: no thread of it can
// wait for that, so that any later moment is one that CUDA allows; whoever waits for the grid waits for what it has launched, too.
#pragma once
#include <new>

#include "kept_launch.h"

#define cudaStreamTailLaunch (reinterpret_cast<cudaStream_t>(3))
#define cudaStreamFireAndForget (reinterpret_cast<cudaStream_t>(4))

namespace __ok {
// Memory for the running kernel to put `bytes` bytes into; `run` gets it, and the stream of the kernel's own launch. `last`:
// behind everything else that the grid has asked for.
extern "C" void* ok_after_grid(size_t bytes, void (*run)(void* data, void* stream), bool last);

template <class Work>
OK_INLINE void after_grid(bool last, Work work) {
    new (ok_after_grid(sizeof(Work), [](void* data, void* stream) OK_QUIET {
        Work& kept = *static_cast<Work*>(data);
        kept(static_cast<cudaStream_t>(stream));
        kept.~Work();
    }, last)) Work(work);
}

struct Nested {
    template <class... P>
    OK_QUIET static int launch(const LaunchSite& site, const Config& config, void (*kernel)(P...), std::remove_reference_t<P>&... parameters) {
        if (!ok_in_kernel()) return launch_now(site, config, kernel, parameters...);
        after_grid(config.stream == cudaStreamTailLaunch, keep(site, config, kernel, parameters...));
        return 0;
    }
};

// A kernel's streams order its launches, which are done one by one as it is: they are names alone.
OK_INLINE cudaError_t nested_stream(cudaStream_t* stream, unsigned flags) {
    if (!ok_in_kernel()) return cudaStreamCreateWithFlags(stream, flags);
    if (flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
    *stream = cudaStreamFireAndForget;
    return cudaSuccess;
}
OK_INLINE cudaError_t nested_stream_end(cudaStream_t stream) { return ok_in_kernel() ? cudaSuccess : cudaStreamDestroy(stream); }
OK_INLINE cudaError_t nested_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr, Site at = Site()) {
    if (!ok_in_kernel()) return cudaMemcpyAsync(to, from, bytes, kind, stream, at);
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    after_grid(stream == cudaStreamTailLaunch,
               [=](cudaStream_t now) OK_QUIET { (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, now, at); });
    return cudaSuccess;
}
// Of a launch that a kernel makes: what is wrong with it is told when it is done.
OK_INLINE cudaError_t nested_error(bool clears) {
    return ok_in_kernel() ? cudaSuccess : clears ? cudaGetLastError() : cudaPeekAtLastError();
}
OK_INLINE const char* nested_error_text(cudaError_t error) { return cudaGetErrorString(error); }
}  // namespace __ok
#undef __how
#define __how Nested
#define cudaStreamCreateWithFlags(...) ::__ok::nested_stream(__VA_ARGS__)
#define cudaStreamDestroy(...) ::__ok::nested_stream_end(__VA_ARGS__)
#define cudaGetLastError() ::__ok::nested_error(true)
#define cudaPeekAtLastError() ::__ok::nested_error(false)
#define cudaGetErrorString(error) ::__ok::nested_error_text(error)
#define cudaMemcpyAsync(...) ::__ok::nested_copy(__VA_ARGS__)

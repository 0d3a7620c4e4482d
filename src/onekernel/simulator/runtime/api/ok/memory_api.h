// Device and pinned memory from the host: cudaMalloc, cudaFree and their kin.
#pragma once
#include <stdlib.h>

#include "errors.h"

struct CUstream_st;
typedef CUstream_st* cudaStream_t;

constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
                   cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};

namespace __ok {

// Keeps a piece of work of a stream that is captured: what to do with the stream that the graph is launched into.
template <class Work>
inline auto kept(cudaStream_t stream, Work work) {
    ok_capture_work(stream, [](void* data, void* now) { (*static_cast<Work*>(data))(static_cast<cudaStream_t>(now)); },
                    [](void* data) { delete static_cast<Work*>(data); }, new Work(work));
    return cudaSuccess;
}

template <class T>
inline auto allocate(T** pointer, size_t bytes, Site at) {
    if (pointer == nullptr) return fail(cudaErrorInvalidValue);
    if (const int error = ok_capture_forbids(nullptr, true)) return fail(static_cast<cudaError_t>(error));
    return result(ok_device_alloc(reinterpret_cast<void**>(pointer), bytes, nullptr, at));
}
inline cudaError_t release(void* pointer, Site at) {
    if (const int error = ok_capture_forbids(nullptr, true)) return fail(static_cast<cudaError_t>(error));
    return pointer == nullptr ? cudaSuccess : result(ok_device_free(pointer, at));
}

}  // namespace __ok

// In a kernel, the device runtime's: from the heap of malloc there (CUDA C++ Programming Guide, "Device Runtime API Reference").
template <class T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes, OK_AT) {
    if (__ok::ok_in_kernel()) {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        *pointer = static_cast<T*>(malloc(bytes));
        return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
    }
    return __ok::allocate(pointer, bytes, at);
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream, OK_AT) {
    // A graph's memory is there for each of its launches, at the same address: it is taken once, and is nobody's leak. To the
    // stream that is captured nothing goes.
    if (pointer != nullptr && __ok::ok_capturing(stream))
        return __ok::result(__ok::ok_graph_alloc(reinterpret_cast<void**>(pointer), bytes));
    __ok::ok_stream_work("cudaMallocAsync", "cudaMallocAsync(..., stream)", stream, nullptr, 0, at);
    return __ok::allocate(pointer, bytes, at);
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height, OK_AT) {
    if (pitch == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const size_t unit = __ok::CARD.text_alignment;
    *pitch = (width + unit - 1) / unit * unit;
    const cudaError_t error = __ok::allocate(pointer, *pitch * height, at);
    if (error == cudaSuccess) __ok::ok_pitched(*pointer, *pitch);
    return error;
}
// cudaFree waits for all streams (CUDA C++ Programming Guide, "Stream Ordered Memory Allocator").
inline cudaError_t cudaFree(void* pointer, OK_AT) {
    if (__ok::ok_in_kernel()) {
        free(pointer);
        return cudaSuccess;
    }
    if (pointer != nullptr) __ok::ok_stream_order(__ok::JOIN_DEVICE, nullptr, nullptr);
    return __ok::release(pointer, at);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream, OK_AT) {
    if (pointer == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (__ok::ok_capturing(stream)) return cudaSuccess;
    __ok::ok_stream_work("cudaFreeAsync", "cudaFreeAsync(..., stream)", stream, &pointer, 1, at);
    return __ok::release(pointer, at);
}

template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned flags, OK_AT) {
    constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (pointer == nullptr || flags & ~known) return __ok::fail(cudaErrorInvalidValue);
    return __ok::result(__ok::ok_pinned_alloc(reinterpret_cast<void**>(pointer), bytes, at));
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned flags = 0, OK_AT) {
    return cudaHostAlloc(pointer, bytes, flags, at);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaFreeHost(void* pointer, OK_AT) {
    if (pointer != nullptr && !__ok::ok_is_pinned(pointer)) return __ok::fail(cudaErrorInvalidValue);
    if (pointer != nullptr) __ok::ok_stream_order(__ok::JOIN_DEVICE, nullptr, nullptr);
    return __ok::release(pointer, at);
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
    if (device == nullptr || !(__ok::ok_is_pinned(host) || __ok::ok_is_host_registered(host))) return __ok::fail(cudaErrorInvalidValue);
    *device = static_cast<T*>(host);
    return cudaSuccess;
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaHostRegister(T* pointer, size_t bytes, unsigned) {
    if (pointer == nullptr || bytes == 0) return __ok::fail(cudaErrorInvalidValue);
    __ok::ok_host_register(pointer, bytes);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaHostUnregister(void* pointer) {
    if (pointer == nullptr) return __ok::fail(cudaErrorInvalidValue);
    return __ok::ok_host_unregister(pointer) ? cudaSuccess : __ok::fail(cudaErrorHostMemoryNotRegistered);
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (attributes == nullptr) return __ok::fail(cudaErrorInvalidValue);
    void* p = const_cast<void*>(pointer);
    if (__ok::ok_is_pinned(pointer))
        *attributes = {cudaMemoryTypeHost, 0, p, p};
    else if (__ok::ok_is_managed(pointer))
        *attributes = {cudaMemoryTypeManaged, 0, p, p};
    else if (__ok::ok_device_find(pointer, nullptr, nullptr))
        *attributes = {cudaMemoryTypeDevice, 0, p, nullptr};
    else
        *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, p};
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
    *available = *total = __ok::CARD.global_memory;
    return cudaSuccess;
}

// Device memory from the host: cudaMalloc, cudaMemcpy, cudaMemset and their kin. The simulator runs every call to its end
// before it returns, so that the Async forms differ in their names only.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "errors.h"

struct CUstream_st;
typedef CUstream_st* cudaStream_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};
constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;

enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2, cudaMemoryTypeManaged = 3 };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};

namespace ok {

// Pinned memory is host memory that kernels may touch too, outside the device heap.
struct HostBlock {
    char* base;
    size_t bytes;
    HostBlock* next;
};
inline HostBlock* host_blocks = nullptr;

inline cudaError_t host_allocate(void** pointer, size_t bytes) {
    if (pointer == nullptr) return fail(cudaErrorInvalidValue);
    *pointer = bytes == 0 ? nullptr : aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (*pointer == nullptr) return bytes == 0 ? cudaSuccess : fail(cudaErrorMemoryAllocation);
    host_blocks = new HostBlock{static_cast<char*>(*pointer), bytes, host_blocks};
    return cudaSuccess;
}
inline const HostBlock* host_block(const void* pointer) {
    for (const HostBlock* b = host_blocks; b != nullptr; b = b->next)
        if (pointer >= b->base && pointer < b->base + b->bytes) return b;
    return nullptr;
}
inline bool host_free(void* pointer) {
    for (HostBlock** link = &host_blocks; *link != nullptr; link = &(*link)->next) {
        HostBlock* block = *link;
        if (block->base != pointer) continue;
        *link = block->next;
        free(pointer);
        delete block;
        return true;
    }
    return false;
}

template <class T>
inline cudaError_t allocate(T** pointer, size_t bytes, Site at) {
    if (pointer == nullptr) return fail(cudaErrorInvalidValue);
    return result(ok_device_alloc(reinterpret_cast<void**>(pointer), bytes, nullptr, at));
}
inline cudaError_t release(void* pointer, Site at) {
    return pointer == nullptr ? cudaSuccess : result(ok_device_free(pointer, at));
}

inline cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Site at) {
    if (static_cast<unsigned>(kind) > cudaMemcpyDefault) return fail(cudaErrorInvalidMemcpyDirection);
    if (bytes == 0) return cudaSuccess;
    if (to == nullptr || from == nullptr) return fail(cudaErrorInvalidValue);
    if (host_block(to) != nullptr || host_block(from) != nullptr) kind = cudaMemcpyDefault;
    return result(ok_device_copy(to, from, bytes, kind, at));
}

inline cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                             cudaMemcpyKind kind, Site at) {
    if (width > to_pitch || width > from_pitch) return fail(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row) {
        const cudaError_t error = copy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width, kind, at);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

inline cudaError_t fill(void* to, int value, size_t bytes, Site at) {
    if (bytes == 0) return cudaSuccess;
    if (to == nullptr) return fail(cudaErrorInvalidValue);
    if (host_block(to) == nullptr) return result(ok_device_fill(to, value, bytes, at));
    memset(to, value, bytes);
    return cudaSuccess;
}

// A __device__ or __constant__ variable lives in the program's own memory.
template <class T>
inline char* symbol_address(const T& symbol) { return const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol)); }
template <class T>
inline cudaError_t symbol_range(const T&, size_t bytes, size_t offset) {
    return offset > sizeof(T) || bytes > sizeof(T) - offset ? fail(cudaErrorInvalidValue) : cudaSuccess;
}

}  // namespace ok

template <class T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes, OK_AT) { return ok::allocate(pointer, bytes, at); }
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t, OK_AT) { return ok::allocate(pointer, bytes, at); }
template <class T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height, OK_AT) {
    if (pitch == nullptr) return ok::fail(cudaErrorInvalidValue);
    const size_t unit = ok::CARD.text_alignment;
    *pitch = (width + unit - 1) / unit * unit;
    return ok::allocate(pointer, *pitch * height, at);
}
inline cudaError_t cudaFree(void* pointer, OK_AT) { return ok::release(pointer, at); }
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t, OK_AT) {
    return pointer == nullptr ? ok::fail(cudaErrorInvalidValue) : ok::release(pointer, at);
}

template <class T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned) {
    return ok::host_allocate(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned flags = 0) { return cudaHostAlloc(pointer, bytes, flags); }
inline cudaError_t cudaFreeHost(void* pointer) {
    return pointer == nullptr || ok::host_free(pointer) ? cudaSuccess : ok::fail(cudaErrorInvalidValue);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
    if (device == nullptr || ok::host_block(host) == nullptr) return ok::fail(cudaErrorInvalidValue);
    *device = static_cast<T*>(host);
    return cudaSuccess;
}
inline cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
    return pointer == nullptr || bytes == 0 ? ok::fail(cudaErrorInvalidValue) : cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void* pointer) { return pointer == nullptr ? ok::fail(cudaErrorInvalidValue) : cudaSuccess; }

inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, OK_AT) { return ok::copy(to, from, bytes, kind, at); }
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t = nullptr, OK_AT) {
    return ok::copy(to, from, bytes, kind, at);
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, OK_AT) {
    return ok::copy_rows(to, to_pitch, from, from_pitch, width, height, kind, at);
}
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t = nullptr, OK_AT) {
    return ok::copy_rows(to, to_pitch, from, from_pitch, width, height, kind, at);
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes, OK_AT) { return ok::fill(to, value, bytes, at); }
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = nullptr, OK_AT) { return ok::fill(to, value, bytes, at); }
inline cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height, OK_AT) {
    if (width > pitch) return ok::fail(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row)
        if (const cudaError_t error = ok::fill(static_cast<char*>(to) + row * pitch, value, width, at)) return error;
    return cudaSuccess;
}

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice, OK_AT) {
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return ok::fail(cudaErrorInvalidMemcpyDirection);
    if (const cudaError_t error = ok::symbol_range(symbol, bytes, offset)) return error;
    return ok::copy(ok::symbol_address(symbol) + offset, from, bytes, kind, at);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost, OK_AT) {
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return ok::fail(cudaErrorInvalidMemcpyDirection);
    if (const cudaError_t error = ok::symbol_range(symbol, bytes, offset)) return error;
    return ok::copy(to, ok::symbol_address(symbol) + offset, bytes, kind, at);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind, cudaStream_t = nullptr, OK_AT) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind, at);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind, cudaStream_t = nullptr, OK_AT) {
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind, at);
}
template <class P, class T>
inline cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
    *pointer = reinterpret_cast<P*>(ok::symbol_address(symbol));
    return cudaSuccess;
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
    *bytes = sizeof(T);
    return cudaSuccess;
}

inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (attributes == nullptr) return ok::fail(cudaErrorInvalidValue);
    void* p = const_cast<void*>(pointer);
    if (ok::host_block(pointer) != nullptr) *attributes = {cudaMemoryTypeHost, 0, p, p};
    else if (ok::ok_device_find(pointer, nullptr, nullptr)) *attributes = {cudaMemoryTypeDevice, 0, p, nullptr};
    else *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, p};
    return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
    *available = *total = ok::CARD.global_memory;
    return cudaSuccess;
}

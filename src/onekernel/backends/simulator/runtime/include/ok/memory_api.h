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
constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4;
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

// `expression` is the text of a cudaMalloc's arguments; messages call the allocation by its first argument's last word.
inline cudaError_t allocate(void** pointer, size_t bytes, const char* expression, Site at) {
    if (pointer == nullptr) return fail(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    char name[64] = "";
    int depth = 0;
    for (const char *c = expression, *word = nullptr; *c != '\0'; ++c) {
        const bool in_word = *c == '_' || (*c | 32) >= 'a' ? (*c | 32) <= 'z' || *c == '_' : word != nullptr && *c >= '0' && *c <= '9';
        depth += *c == '(' || *c == '[' || *c == '<' ? 1 : *c == ')' || *c == ']' || *c == '>' ? -1 : 0;
        if (*c == ',' && depth == 0) break;
        if (in_word && word == nullptr) word = c;
        if (!in_word) word = nullptr;
        const size_t length = word == nullptr ? 0 : static_cast<size_t>(c - word) + 1;
        if (length > 0 && length < sizeof name) {
            memcpy(name, word, length);
            name[length] = '\0';
        }
    }
    return result(ok_device_alloc(pointer, bytes, name, at));
}

inline cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Site at) {
    if (static_cast<unsigned>(kind) > cudaMemcpyDefault) return fail(cudaErrorInvalidMemcpyDirection);
    if (bytes == 0) return cudaSuccess;
    if (to == nullptr || from == nullptr) return fail(cudaErrorInvalidValue);
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
    return to == nullptr ? fail(cudaErrorInvalidValue) : result(ok_device_fill(to, value, bytes, at));
}

// A __device__ or __constant__ variable lives in the program's own memory.
template <class T>
inline cudaError_t symbol_range(const T&, size_t bytes, size_t offset) {
    return offset > sizeof(T) || bytes > sizeof(T) - offset ? fail(cudaErrorInvalidValue) : cudaSuccess;
}

}  // namespace ok

template <class T>
inline cudaError_t ok_malloc(const char* expression, T** pointer, size_t bytes, OK_AT) {
    return ok::allocate(reinterpret_cast<void**>(pointer), bytes, expression, at);
}
template <class T>
inline cudaError_t ok_malloc_async(const char* expression, T** pointer, size_t bytes, cudaStream_t, OK_AT) {
    return ok::allocate(reinterpret_cast<void**>(pointer), bytes, expression, at);
}
template <class T>
inline cudaError_t ok_malloc_managed(const char* expression, T** pointer, size_t bytes, unsigned = cudaMemAttachGlobal, OK_AT) {
    if (bytes == 0) return ok::fail(cudaErrorInvalidValue);
    return ok::allocate(reinterpret_cast<void**>(pointer), bytes, expression, at);
}
template <class T>
inline cudaError_t ok_malloc_pitch(const char* expression, T** pointer, size_t* pitch, size_t width, size_t height, OK_AT) {
    if (pitch == nullptr) return ok::fail(cudaErrorInvalidValue);
    const size_t unit = ok::CARD.text_alignment;
    *pitch = (width + unit - 1) / unit * unit;
    return ok::allocate(reinterpret_cast<void**>(pointer), *pitch * height, expression, at);
}
// Macros, because only they see the name of the learner's pointer.
#define cudaMalloc(...) ok_malloc(#__VA_ARGS__, __VA_ARGS__)
#define cudaMallocAsync(...) ok_malloc_async(#__VA_ARGS__, __VA_ARGS__)
#define cudaMallocManaged(...) ok_malloc_managed(#__VA_ARGS__, __VA_ARGS__)
#define cudaMallocPitch(...) ok_malloc_pitch(#__VA_ARGS__, __VA_ARGS__)

inline cudaError_t cudaFree(void* pointer, OK_AT) { return pointer == nullptr ? cudaSuccess : ok::result(ok::ok_device_free(pointer, at)); }
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t, OK_AT) {
    return pointer == nullptr ? ok::fail(cudaErrorInvalidValue) : ok::result(ok::ok_device_free(pointer, at));
}

template <class T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned flags, OK_AT) {
    if (pointer == nullptr) return ok::fail(cudaErrorInvalidValue);
    if (flags & cudaHostAllocMapped) ok::ok_unsupported("cudaHostAllocMapped", at);
    *pointer = static_cast<T*>(aligned_alloc(256, (bytes + 255) / 256 * 256));
    return *pointer == nullptr && bytes != 0 ? ok::fail(cudaErrorMemoryAllocation) : cudaSuccess;
}
template <class T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned flags = 0, OK_AT) { return cudaHostAlloc(pointer, bytes, flags, at); }
inline cudaError_t cudaFreeHost(void* pointer) {
    free(pointer);
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
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, OK_AT) {
    if (const cudaError_t error = ok::symbol_range(symbol, bytes, offset)) return error;
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return ok::fail(cudaErrorInvalidMemcpyDirection);
    void* host = malloc(bytes);  // by way of the host, so that a device source is checked as one
    const cudaError_t error = kind == cudaMemcpyHostToDevice ? (memcpy(host, from, bytes), cudaSuccess) : ok::copy(host, from, bytes, cudaMemcpyDefault, at);
    if (error == cudaSuccess) memcpy(const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol)) + offset, host, bytes);
    free(host);
    return error;
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, OK_AT) {
    if (const cudaError_t error = ok::symbol_range(symbol, bytes, offset)) return error;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return ok::fail(cudaErrorInvalidMemcpyDirection);
    const char* from = const_cast<const char*>(reinterpret_cast<const volatile char*>(&symbol)) + offset;
    if (kind != cudaMemcpyDeviceToHost) return ok::copy(to, from, bytes, cudaMemcpyDefault, at);
    memcpy(to, from, bytes);
    return cudaSuccess;
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
    *pointer = reinterpret_cast<P*>(const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol)));
    return cudaSuccess;
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
    *bytes = sizeof(T);
    return cudaSuccess;
}

inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (attributes == nullptr) return ok::fail(cudaErrorInvalidValue);
    const bool device = ok::ok_device_find(pointer, nullptr, nullptr);
    *attributes = {device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered, device ? 0 : -2, device ? const_cast<void*>(pointer) : nullptr,
                   device ? nullptr : const_cast<void*>(pointer)};
    return cudaSuccess;
}
// Hints: where a managed page lies changes nothing here.
template <class... Where>
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t, Where...) { return pointer == nullptr ? ok::fail(cudaErrorInvalidValue) : cudaSuccess; }
inline cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
    *available = *total = ok::CARD.global_memory;
    return cudaSuccess;
}

// Copies and fills from the host: cudaMemcpy, cudaMemset and their kin, and the __device__ and __constant__ variables.
// Every call runs to its end before it returns, so that the Async forms differ in their names only.
#pragma once
#include <string.h>

#include "memory_api.h"

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

namespace __ok {

inline cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Site at) {
    if (static_cast<unsigned>(kind) > cudaMemcpyDefault) return fail(cudaErrorInvalidMemcpyDirection);
    if (bytes == 0) return cudaSuccess;
    if (to == nullptr || from == nullptr) return fail(cudaErrorInvalidValue);
    if (host_block(to) != nullptr || host_block(from) != nullptr) kind = cudaMemcpyDefault;
    return result(ok_device_copy(to, from, bytes, kind, at));
}

inline cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                             size_t height, cudaMemcpyKind kind, Site at) {
    if (width > to_pitch || width > from_pitch) return fail(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row) {
        const cudaError_t error = copy(static_cast<char*>(to) + row * to_pitch,
                                       static_cast<const char*>(from) + row * from_pitch, width, kind, at);
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
inline char* symbol_address(const T& symbol) {
    return const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol));
}
template <class T>
inline cudaError_t symbol_range(const T&, size_t bytes, size_t offset) {
    return offset > sizeof(T) || bytes > sizeof(T) - offset ? fail(cudaErrorInvalidValue) : cudaSuccess;
}

}  // namespace __ok

inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, OK_AT) {
    return __ok::copy(to, from, bytes, kind, at);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr, OK_AT) {
    return __ok::copy(to, from, bytes, kind, at);
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind, OK_AT) {
    return __ok::copy_rows(to, to_pitch, from, from_pitch, width, height, kind, at);
}
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t = nullptr, OK_AT) {
    return __ok::copy_rows(to, to_pitch, from, from_pitch, width, height, kind, at);
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes, OK_AT) { return __ok::fill(to, value, bytes, at); }
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = nullptr, OK_AT) {
    return __ok::fill(to, value, bytes, at);
}
inline cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height, OK_AT) {
    if (width > pitch) return __ok::fail(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row)
        if (const cudaError_t error = __ok::fill(static_cast<char*>(to) + row * pitch, value, width, at)) return error;
    return cudaSuccess;
}

inline cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t = nullptr, OK_AT) {
    return cudaMemset2D(to, pitch, value, width, height, at);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice, OK_AT) {
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
        return __ok::fail(cudaErrorInvalidMemcpyDirection);
    if (const cudaError_t error = __ok::symbol_range(symbol, bytes, offset)) return error;
    return __ok::copy(__ok::symbol_address(symbol) + offset, from, bytes, kind, at);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost, OK_AT) {
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
        return __ok::fail(cudaErrorInvalidMemcpyDirection);
    if (const cudaError_t error = __ok::symbol_range(symbol, bytes, offset)) return error;
    return __ok::copy(to, __ok::symbol_address(symbol) + offset, bytes, kind, at);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t = nullptr, OK_AT) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind, at);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t = nullptr, OK_AT) {
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind, at);
}
template <class P, class T>
inline cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
    *pointer = reinterpret_cast<P*>(__ok::symbol_address(symbol));
    return cudaSuccess;
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
    *bytes = sizeof(T);
    return cudaSuccess;
}

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
    return result(ok_device_copy(to, from, bytes, kind, at));
}

inline cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                             size_t height, cudaMemcpyKind kind, Site at) {
    if (width == to_pitch && width == from_pitch) return copy(to, from, width * height, kind, at);  // device memory is opened once
    if (width && height) {
        const RowsAt there{to, to_pitch, 0}, here{from, from_pitch, 0};
        if (const int error = ok_rows(&there, &here, width, height, 1, at)) return result(error);
    }
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
    return result(ok_device_fill(to, value, bytes, at));
}

// A __device__ or __constant__ variable lives in the program's own memory.
template <class T>
inline char* symbol_address(const T& symbol) {
    return const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol));
}
template <class T>
inline cudaError_t symbol_range(const T& symbol, size_t bytes, size_t offset, Site at) {
    if (const int error = ok_is_symbol(symbol_address(symbol), at)) return result(error);
    return offset > sizeof(T) || bytes > sizeof(T) - offset ? fail(cudaErrorInvalidValue) : cudaSuccess;
}

// Where in which stream a copy or a fill stands, for findings; a synchronous one goes to the default stream.
struct Queue {
    const char* what;
    const char* fix;
    cudaStream_t stream;
    Site at;
};

// A copy that the host waits for ends before the next call: every one but those from device to device.
inline cudaError_t queued_copy(const Queue& queue, bool host_waits, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                               size_t width, size_t height, cudaMemcpyKind kind) {
    if (const int how = ok_capturing(queue.stream)) {
        if (how > 0) return fail(static_cast<cudaError_t>(how));
        return kept(queue.stream, [=](cudaStream_t stream) {
            (void)queued_copy({queue.what, queue.fix, stream, queue.at}, host_waits, to, to_pitch, from, from_pitch, width, height, kind);
        });
    }
    const void* pointers[] = {to, from};
    ok_stream_work(queue.what, queue.fix, queue.stream, pointers, 2, queue.at);
    const bool both = ok_device_find(to, nullptr, nullptr) && ok_device_find(from, nullptr, nullptr);
    if (host_waits && !both) ok_stream_order(JOIN_STREAM, queue.stream, nullptr);
    const cudaError_t error = copy_rows(to, to_pitch, from, from_pitch, width, height, kind, queue.at);
    if (error == cudaSuccess && (height == 1 || (width == to_pitch && width == from_pitch))) {
        ok_stream_copied(queue.what, to, from, width * height, queue.stream, queue.at);
        if (!host_waits) ok_pinned_copy(to, from, width * height, queue.stream, queue.at);
    }
    return error;
}
inline cudaError_t queued_fill(const Queue& queue, void* to, size_t pitch, int value, size_t width, size_t height) {
    if (width && height && width != pitch) {
        const RowsAt there{to, pitch, 0};
        if (const int error = ok_rows(&there, nullptr, width, height, 1, queue.at)) return result(error);
    }
    if (const int how = ok_capturing(queue.stream)) {
        if (how > 0) return fail(static_cast<cudaError_t>(how));
        return kept(queue.stream, [=](cudaStream_t stream) {
            (void)queued_fill({queue.what, queue.fix, stream, queue.at}, to, pitch, value, width, height);
        });
    }
    const void* pointers[] = {to};
    ok_stream_work(queue.what, queue.fix, queue.stream, pointers, 1, queue.at);
    if (width == pitch) {
        const cudaError_t error = fill(to, value, width * height, queue.at);
        if (error == cudaSuccess) ok_stream_copied(queue.what, to, nullptr, width * height, queue.stream, queue.at);
        return error;
    }
    for (size_t row = 0; row < height; ++row)
        if (const cudaError_t error = fill(static_cast<char*>(to) + row * pitch, value, width, queue.at)) return error;
    return cudaSuccess;
}

}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, OK_AT) {
    const __ok::Queue queue{"cudaMemcpy", "cudaMemcpyAsync(..., stream)", nullptr, at};
    return __ok::queued_copy(queue, true, to, bytes, from, bytes, bytes, 1, kind);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr, OK_AT) {
    const __ok::Queue queue{"cudaMemcpyAsync", "cudaMemcpyAsync(..., stream)", stream, at};
    return __ok::queued_copy(queue, false, to, bytes, from, bytes, bytes, 1, kind);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind, OK_AT) {
    const __ok::Queue queue{"cudaMemcpy2D", "cudaMemcpy2DAsync(..., stream)", nullptr, at};
    return __ok::queued_copy(queue, true, to, to_pitch, from, from_pitch, width, height, kind);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr, OK_AT) {
    const __ok::Queue queue{"cudaMemcpy2DAsync", "cudaMemcpy2DAsync(..., stream)", stream, at};
    return __ok::queued_copy(queue, false, to, to_pitch, from, from_pitch, width, height, kind);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemset(void* to, int value, size_t bytes, OK_AT) {
    return __ok::queued_fill({"cudaMemset", "cudaMemsetAsync(..., stream)", nullptr, at}, to, bytes, value, bytes, 1);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr, OK_AT) {
    return __ok::queued_fill({"cudaMemsetAsync", "cudaMemsetAsync(..., stream)", stream, at}, to, bytes, value, bytes, 1);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height, OK_AT) {
    const __ok::Queue queue{"cudaMemset2D", "cudaMemset2DAsync(..., stream)", nullptr, at};
    return __ok::queued_fill(queue, to, pitch, value, width, height);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream = nullptr, OK_AT) {
    const __ok::Queue queue{"cudaMemset2DAsync", "cudaMemset2DAsync(..., stream)", stream, at};
    return __ok::queued_fill(queue, to, pitch, value, width, height);
}

namespace __ok {
template <class T>
inline cudaError_t copy_to_symbol(const Queue& queue, bool host_waits, const T& symbol, const void* from, size_t bytes, size_t offset,
                                  cudaMemcpyKind kind) {
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return fail(cudaErrorInvalidMemcpyDirection);
    if (const cudaError_t error = symbol_range(symbol, bytes, offset, queue.at)) return error;
    return queued_copy(queue, host_waits, symbol_address(symbol) + offset, bytes, from, bytes, bytes, 1, kind);
}
template <class T>
inline cudaError_t copy_from_symbol(const Queue& queue, bool host_waits, void* to, const T& symbol, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind) {
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return fail(cudaErrorInvalidMemcpyDirection);
    if (const cudaError_t error = symbol_range(symbol, bytes, offset, queue.at)) return error;
    return queued_copy(queue, host_waits, to, bytes, symbol_address(symbol) + offset, bytes, bytes, 1, kind);
}
}  // namespace __ok

template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice, OK_AT) {
    const __ok::Queue queue{"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync(..., stream)", nullptr, at};
    return __ok::copy_to_symbol(queue, true, symbol, from, bytes, offset, kind);
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost, OK_AT) {
    const __ok::Queue queue{"cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync(..., stream)", nullptr, at};
    return __ok::copy_from_symbol(queue, true, to, symbol, bytes, offset, kind);
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t stream = nullptr, OK_AT) {
    const __ok::Queue queue{"cudaMemcpyToSymbolAsync", "cudaMemcpyToSymbolAsync(..., stream)", stream, at};
    return __ok::copy_to_symbol(queue, false, symbol, from, bytes, offset, kind);
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream = nullptr, OK_AT) {
    const __ok::Queue queue{"cudaMemcpyFromSymbolAsync", "cudaMemcpyFromSymbolAsync(..., stream)", stream, at};
    return __ok::copy_from_symbol(queue, false, to, symbol, bytes, offset, kind);
}
template <class P, class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
    *pointer = reinterpret_cast<P*>(__ok::symbol_address(symbol));
    return cudaSuccess;
}
template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
    *bytes = sizeof(T);
    return cudaSuccess;
}

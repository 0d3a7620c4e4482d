// How devices, streams and events are named and were set up, as the host may ask.
#pragma once
#include "kernel_api.h"
#include "stream_api.h"

// There is one card, at the first place of the bus.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
    if (id == nullptr || length < 13) return __ok::fail(cudaErrorInvalidValue);
    if (device != 0) return __ok::fail(cudaErrorInvalidDevice);
    snprintf(id, static_cast<size_t>(length), "0000:00:00.0");
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    if (device == nullptr || id == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const char *colon = strchr(id, ':'), *bus = colon != nullptr && strchr(colon + 1, ':') != nullptr ? colon + 1 : id;
    if (strcmp(bus, "00:00.0") != 0) return __ok::fail(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    if (flags == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *flags = __ok::device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) { return cudaGetDevice(device); }
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    if (id == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *id = reinterpret_cast<uintptr_t>(stream);
    return cudaSuccess;
}
constexpr unsigned cudaEventRecordDefault = 0, cudaEventRecordExternal = 1, cudaEventWaitDefault = 0, cudaEventWaitExternal = 1;
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned = 0) {
    return cudaEventRecord(event, stream);
}

constexpr unsigned cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1;
template <class Kernel, class SharedOf>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, Kernel* kernel, SharedOf shared_of,
                                                                           int limit = 0, unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, shared_of, limit);
}
template <class Kernel>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, Kernel* kernel, size_t shared = 0, int limit = 0,
                                                               unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared, limit);
}

// The pool that cudaMallocAsync takes from, as far as a host asks for its attributes. Memory here is the simulator's own,
// whatever they say; a pool of one's own is refused by name (refusals/features.py). While a stream is captured nothing may be
// asked of it: seen on an H200 (driver 580.159.04, CUDA 13.0), the capture is lost.
#pragma once
#include <stdint.h>

#include "memory_api.h"

typedef struct CUmemPoolHandle_st* cudaMemPool_t;

enum cudaMemPoolAttr {  // numbers of CUDA 13.0's driver_types.h
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
};

namespace __ok {
struct PoolAttributes {
    int reuse[3] = {1, 1, 1};
    uint64_t release_threshold = 0;
    // Where the value of `attribute` is, and its size; nullptr where there is no such attribute.
    void* find(cudaMemPoolAttr attribute, size_t* size) {
        *size = attribute == cudaMemPoolAttrReleaseThreshold ? sizeof(uint64_t) : sizeof(int);
        if (attribute == cudaMemPoolAttrReleaseThreshold) return &release_threshold;
        return attribute >= 1 && attribute <= 3 ? &reuse[attribute - 1] : nullptr;
    }
};
inline PoolAttributes POOL;

inline cudaError_t pool_of(cudaMemPool_t* pool, int device) {
    if (pool == nullptr) return fail(cudaErrorInvalidValue);
    if (device != 0) return fail(cudaErrorInvalidDevice);
    *pool = reinterpret_cast<cudaMemPool_t>(&POOL);
    return cudaSuccess;
}
}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return __ok::pool_of(pool, device);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return __ok::pool_of(pool, device);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (const int error = __ok::ok_capture_forbids(nullptr, true)) return __ok::fail(static_cast<cudaError_t>(error));
    size_t size;
    void* from = __ok::POOL.find(attribute, &size);
    if (pool == nullptr || from == nullptr || value == nullptr) return __ok::fail(cudaErrorInvalidValue);
    __builtin_memcpy(value, from, size);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (const int error = __ok::ok_capture_forbids(nullptr, true)) return __ok::fail(static_cast<cudaError_t>(error));
    size_t size;
    void* to = __ok::POOL.find(attribute, &size);
    if (pool == nullptr || to == nullptr || value == nullptr) return __ok::fail(cudaErrorInvalidValue);
    __builtin_memcpy(to, value, size);
    return cudaSuccess;
}

// Managed memory from the host: cudaMallocManaged and what advises where it should lie (CUDA C++ Programming Guide, "Unified
// Memory Programming"; signatures of CUDA 13). Advice changes a GPU's speed alone: accepted.
#pragma once
#include "memory_api.h"

constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4;
constexpr int cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2;
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
    cudaMemLocationTypeHostNuma = 3,
    cudaMemLocationTypeHostNumaCurrent = 4
};
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};

template <class T>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal, OK_AT) {
    if (pointer == nullptr || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return __ok::fail(cudaErrorInvalidValue);
    return __ok::result(__ok::ok_managed_alloc(reinterpret_cast<void**>(pointer), bytes, at));
}

namespace __ok {
inline cudaError_t advised(const void* pointer, bool valid) {
    return valid && ok_is_managed(pointer) ? cudaSuccess : fail(cudaErrorInvalidValue);
}
inline bool is_place(cudaMemLocation place) { return place.type == cudaMemLocationTypeDevice ? place.id == 0 : place.type > 1; }
}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t, cudaMemLocation to, unsigned, cudaStream_t = nullptr) {
    return __ok::advised(pointer, __ok::is_place(to));
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaMemAdvise(const void* pointer, size_t, cudaMemoryAdvise, cudaMemLocation place) {
    return __ok::advised(pointer, __ok::is_place(place));
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, size_t = 0, unsigned = cudaMemAttachSingle) {
    return __ok::advised(pointer, true);
}

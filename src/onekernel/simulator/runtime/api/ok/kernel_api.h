// Kernels as the host asks about them: attributes and occupancy. Occupancy is an upper bound: registers are known where
// NVIDIA's compiler has told them, and static shared memory once the kernel has run.
#pragma once
#include "device_api.h"
#include "copy_api.h"

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1 = 0
};

// sharedSizeBytes are those of the arrays in the kernel's own body. localSizeBytes is what a GPU compiler decides: 0 here, and numRegs
// where it was not asked. Ask `nvcc -Xptxas -v`.
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout;
};

template <class Kernel>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value, OK_AT) {
    if (kernel == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return value < -1 || value > 100 ? __ok::fail(cudaErrorInvalidValue) : cudaSuccess;
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
        return __ok::result(__ok::ok_allow_wide_clusters(reinterpret_cast<const void*>(kernel), value != 0));
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return __ok::fail(cudaErrorInvalidValue);
    return __ok::result(__ok::ok_set_max_dynamic_shared(reinterpret_cast<const void*>(kernel), value, at));
}
template <class Kernel>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
    return cudaSuccess;
}
template <class Kernel>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
    if (attributes == nullptr || kernel == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    *attributes = {};
    attributes->maxThreadsPerBlock = __ok::ok_most_threads(reinterpret_cast<const void*>(kernel));
    attributes->sharedSizeBytes = __ok::ok_shared_bytes_of(reinterpret_cast<const void*>(kernel));
    attributes->numRegs = __ok::ok_registers_of(reinterpret_cast<const void*>(kernel));
    attributes->ptxVersion = attributes->binaryVersion = 10 * __ok::CARD.major + __ok::CARD.minor;
    attributes->maxDynamicSharedSizeBytes = __ok::ok_max_dynamic_shared(reinterpret_cast<const void*>(kernel));
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                                 size_t shared) {
    if (blocks == nullptr || threads <= 0) return __ok::fail(cudaErrorInvalidValue);
    if (kernel == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    *blocks = __ok::ok_resident_blocks(reinterpret_cast<const void*>(kernel), threads, shared);
    return cudaSuccess;
}
template <class Kernel>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int threads,
                                                                          size_t shared, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}
template <class Kernel, class SharedOf>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, Kernel* kernel,
                                                                  SharedOf shared_of, int limit = 0) {
    if (grid == nullptr || block == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (kernel == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    const int most = limit > 0 && limit < __ok::CARD.threads_per_block ? limit : __ok::CARD.threads_per_block;
    int best = 0;
    for (int threads = most; threads > 0; threads = (threads - 1) / __ok::CARD.warp * __ok::CARD.warp) {
        const int blocks = __ok::ok_resident_blocks(reinterpret_cast<const void*>(kernel), threads, shared_of(threads));
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * __ok::CARD.multiprocessors;
    }
    return best > 0 ? cudaSuccess : __ok::fail(cudaErrorInvalidValue);
}
template <class Kernel>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel* kernel, size_t shared = 0,
                                                      int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, [=](int) { return shared; }, limit);
}

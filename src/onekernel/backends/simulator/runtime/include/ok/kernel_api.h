// Kernels as the host asks about them: attributes and occupancy.
#pragma once
#include "device_api.h"
#include "copy_api.h"

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14  // without clusters: an invalid value
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1 = 0
};

// numRegs, localSizeBytes and sharedSizeBytes are what a GPU compiler decides: 0 here. Ask `nvcc -Xptxas -v`.
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout;
};

template <class Kernel>
inline cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value, OK_AT) {
    if (kernel == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return value < -1 || value > 100 ? __ok::fail(cudaErrorInvalidValue) : cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return __ok::fail(cudaErrorInvalidValue);
    return __ok::result(__ok::ok_set_max_dynamic_shared(reinterpret_cast<const void*>(kernel), value, at));
}
template <class Kernel>
inline cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
    return cudaSuccess;
}
template <class Kernel>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
    if (attributes == nullptr || kernel == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    *attributes = {};
    attributes->maxThreadsPerBlock = __ok::CARD.threads_per_block;
    attributes->ptxVersion = attributes->binaryVersion = 10 * __ok::CARD.major + __ok::CARD.minor;
    attributes->maxDynamicSharedSizeBytes = __ok::ok_max_dynamic_shared(reinterpret_cast<const void*>(kernel));
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

namespace __ok {
// Blocks of `threads` threads and `shared` bytes that fit a multiprocessor: an upper bound, as registers and static
// shared memory are not known before a GPU compiler has run.
constexpr int resident_blocks(int threads, size_t shared) {
    const int warps = (threads + CARD.warp - 1) / CARD.warp;
    int blocks = CARD.threads_per_multiprocessor / CARD.warp / warps;
    if (blocks > CARD.blocks_per_multiprocessor) blocks = CARD.blocks_per_multiprocessor;
    const size_t by_shared = CARD.shared_per_multiprocessor / (shared + CARD.shared_reserved_per_block);
    return by_shared < static_cast<size_t>(blocks) ? static_cast<int>(by_shared) : blocks;
}
}  // namespace __ok

template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                                 size_t shared) {
    if (blocks == nullptr || threads <= 0) return __ok::fail(cudaErrorInvalidValue);
    if (kernel == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    const bool fits =
        threads <= __ok::CARD.threads_per_block && shared <= static_cast<size_t>(__ok::CARD.shared_per_block_optin);
    *blocks = fits ? __ok::resident_blocks(threads, shared) : 0;
    return cudaSuccess;
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int threads,
                                                                          size_t shared, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}
template <class Kernel, class SharedOf>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, Kernel* kernel,
                                                                  SharedOf shared_of, int limit = 0) {
    if (grid == nullptr || block == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (kernel == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    const int most = limit > 0 && limit < __ok::CARD.threads_per_block ? limit : __ok::CARD.threads_per_block;
    int best = 0;
    for (int threads = most; threads > 0; threads = (threads - 1) / __ok::CARD.warp * __ok::CARD.warp) {
        const int blocks = __ok::resident_blocks(threads, shared_of(threads));
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * __ok::CARD.multiprocessors;
    }
    return best > 0 ? cudaSuccess : __ok::fail(cudaErrorInvalidValue);
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel* kernel, size_t shared = 0,
                                                      int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, [=](int) { return shared; }, limit);
}

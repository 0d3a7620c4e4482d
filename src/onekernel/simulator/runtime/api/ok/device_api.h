// The card and the kernels as the host asks about them: properties, attributes, limits, occupancy. All from __ok::CARD.
#pragma once
#include "errors.h"

typedef struct CUuuid_st {
    char bytes[16];
} cudaUUID_t, CUuuid;
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory, concurrentKernels, ECCEnabled, asyncEngineCount,
        unifiedAddressing;
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, accessPolicyMaxWindowSize, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin, reservedSharedMemPerBlock;
    int regsPerMultiprocessor, managedMemory, concurrentManagedAccess, pageableMemoryAccess, cooperativeLaunch,
        clusterLaunch;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported, computePreemptionSupported;
    int pciBusID, pciDeviceID, pciDomainID;
    int tccDriver, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
        canUseHostPointerForRegisteredMem,
        pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, hostRegisterSupported, memoryPoolsSupported;
    int maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTexture1DLayered[2], maxTexture2DLayered[3];
    size_t surfaceAlignment;
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    int maxTexture1DMipmap, maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3DAlt[3], maxTextureCubemap,
        maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
        maxSurfaceCubemapLayered[2];
    int hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported, gpuDirectRDMASupported, gpuDirectRDMAWritesOrdering,
        sparseCudaArraySupported, deferredMappingCudaArraySupported, ipcEventSupported, unifiedFunctionPointers, deviceNumaConfig,
        deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuDirectRDMAFlushWritesOptions, memoryPoolSupportedHandleTypes;
#ifdef OK_PROGRAM
    OK_GONE int clockRate;
    OK_GONE int memoryClockRate;
    OK_GONE int deviceOverlap;
    OK_GONE int kernelExecTimeoutEnabled;
    OK_GONE int computeMode;
    OK_GONE int singleToDoublePrecisionPerfRatio;
    OK_GONE int cooperativeMultiDeviceLaunch;
#endif
};
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrMaxAccessPolicyWindowSize = 109,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrClusterLaunch = 120,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrPciBusId = 33,
    cudaDevAttrPciDeviceId = 34,
    cudaDevAttrTccDriver = 35,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrPciDomainId = 50,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrGlobalL1CacheSupported = 79,
    cudaDevAttrLocalL1CacheSupported = 80,
    cudaDevAttrIsMultiGpuBoard = 84,
    cudaDevAttrMultiGpuBoardGroupID = 85,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCanUseHostPointerForRegisteredMem = 91,
    cudaDevAttrHostRegisterSupported = 99,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
    cudaDevAttrDirectManagedMemAccessFromHost = 101,
    cudaDevAttrMemoryPoolSupportedHandleTypes = 119
};

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    constexpr auto& card = __ok::CARD;
    if (value == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (device != 0) return __ok::fail(cudaErrorInvalidDevice);
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: *value = card.threads_per_block; break;
        case cudaDevAttrMaxBlockDimX: *value = card.block_x; break;
        case cudaDevAttrMaxBlockDimY: *value = card.block_y; break;
        case cudaDevAttrMaxBlockDimZ: *value = card.block_z; break;
        case cudaDevAttrMaxGridDimX: *value = static_cast<int>(card.grid_x); break;
        case cudaDevAttrMaxGridDimY: *value = card.grid_y; break;
        case cudaDevAttrMaxGridDimZ: *value = card.grid_z; break;
        case cudaDevAttrMaxSharedMemoryPerBlock: *value = card.shared_per_block; break;
        case cudaDevAttrTotalConstantMemory: *value = card.constant_memory; break;
        case cudaDevAttrMaxPitch: *value = 2147483647; break;
        case cudaDevAttrTextureAlignment: *value = 512; break;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = 2; break;
        case cudaDevAttrKernelExecTimeout:
        case cudaDevAttrIntegrated:
        case cudaDevAttrPciBusId:
        case cudaDevAttrPciDeviceId:
        case cudaDevAttrPciDomainId:
        case cudaDevAttrTccDriver:
        case cudaDevAttrIsMultiGpuBoard:
        case cudaDevAttrMultiGpuBoardGroupID:
        case cudaDevAttrHostNativeAtomicSupported:
        case cudaDevAttrPageableMemoryAccess:
        case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
        case cudaDevAttrDirectManagedMemAccessFromHost:
        case cudaDevAttrMemoryPoolSupportedHandleTypes:
        case cudaDevAttrComputeMode: *value = 0; break;
        case cudaDevAttrAsyncEngineCount: *value = card.copy_engines; break;
        case cudaDevAttrGpuOverlap:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrGlobalL1CacheSupported:
        case cudaDevAttrLocalL1CacheSupported:
        case cudaDevAttrComputePreemptionSupported:
        case cudaDevAttrCanUseHostPointerForRegisteredMem:
        case cudaDevAttrHostRegisterSupported:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrUnifiedAddressing: *value = 1; break;
        case cudaDevAttrWarpSize: *value = card.warp; break;
        case cudaDevAttrMaxRegistersPerBlock: *value = card.registers_per_block; break;
        case cudaDevAttrClockRate: *value = card.clock_khz; break;
        case cudaDevAttrMultiProcessorCount: *value = card.multiprocessors; break;
        case cudaDevAttrMemoryClockRate: *value = card.memory_clock_khz; break;
        case cudaDevAttrGlobalMemoryBusWidth: *value = card.bus_bits; break;
        case cudaDevAttrL2CacheSize: *value = card.l2_bytes; break;
        case cudaDevAttrMaxThreadsPerMultiProcessor: *value = card.threads_per_multiprocessor; break;
        case cudaDevAttrComputeCapabilityMajor: *value = card.major; break;
        case cudaDevAttrComputeCapabilityMinor: *value = card.minor; break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = card.shared_per_multiprocessor; break;
        case cudaDevAttrMaxRegistersPerMultiprocessor: *value = card.registers_per_multiprocessor; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = card.shared_per_block_optin; break;
        case cudaDevAttrMaxPersistingL2CacheSize: *value = card.persisting_l2_bytes; break;
        case cudaDevAttrMaxAccessPolicyWindowSize: *value = card.policy_window_bytes; break;
        case cudaDevAttrMaxBlocksPerMultiprocessor: *value = card.blocks_per_multiprocessor; break;
        case cudaDevAttrReservedSharedMemoryPerBlock: *value = card.shared_reserved_per_block; break;
        case cudaDevAttrManagedMemory:
        case cudaDevAttrConcurrentManagedAccess:
        case cudaDevAttrCooperativeLaunch:
        case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
        case cudaDevAttrClusterLaunch: *value = card.major >= 9; break;
        default: return __ok::fail(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    constexpr auto& card = __ok::CARD;
    if (properties == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (device != 0) return __ok::fail(cudaErrorInvalidDevice);
    cudaDeviceProp p{};
    for (size_t i = 0; card.name[i] != '\0' && i + 1 < sizeof p.name; ++i) p.name[i] = card.name[i];
    p.totalGlobalMem = card.global_memory;
    p.sharedMemPerBlock = card.shared_per_block;
    p.sharedMemPerBlockOptin = card.shared_per_block_optin;
    p.sharedMemPerMultiprocessor = card.shared_per_multiprocessor;
    p.reservedSharedMemPerBlock = card.shared_reserved_per_block;
    p.regsPerBlock = card.registers_per_block;
    p.regsPerMultiprocessor = card.registers_per_multiprocessor;
    p.warpSize = card.warp;
    p.memPitch = 2147483647;
    p.maxThreadsPerBlock = card.threads_per_block;
    p.maxThreadsDim[0] = card.block_x, p.maxThreadsDim[1] = card.block_y, p.maxThreadsDim[2] = card.block_z;
    p.maxGridSize[0] = static_cast<int>(card.grid_x), p.maxGridSize[1] = card.grid_y, p.maxGridSize[2] = card.grid_z;
    p.memoryBusWidth = card.bus_bits;
    p.totalConstMem = card.constant_memory;
    p.major = card.major, p.minor = card.minor;
    p.textureAlignment = card.text_alignment;
    p.texturePitchAlignment = card.pitch_alignment;
    p.multiProcessorCount = card.multiprocessors;
    p.maxThreadsPerMultiProcessor = card.threads_per_multiprocessor;
    p.maxBlocksPerMultiProcessor = card.blocks_per_multiprocessor;
    p.l2CacheSize = card.l2_bytes;
    p.persistingL2CacheMaxSize = card.persisting_l2_bytes;
    p.accessPolicyMaxWindowSize = card.policy_window_bytes;
    p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.hostRegisterSupported = p.ECCEnabled = 1;
    p.canUseHostPointerForRegisteredMem = p.computePreemptionSupported = p.memoryPoolsSupported = 1;
    p.asyncEngineCount = card.copy_engines;
#ifdef OK_PROGRAM
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    p.clockRate = card.clock_khz;
    p.memoryClockRate = card.memory_clock_khz;
    p.deviceOverlap = 1;
    p.singleToDoublePrecisionPerfRatio = 2;
#pragma GCC diagnostic pop
#endif
    p.surfaceAlignment = card.text_alignment;
    p.maxTexture1D = p.maxTexture2D[0] = card.texture_1d, p.maxTexture2D[1] = card.texture_2d_height;
    for (int& most : p.maxTexture3D) most = card.texture_3d;
    p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = card.texture_layer;
    p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = card.texture_layers;
    // Table "Technical Specifications per Compute Capability" of the CUDA C++ Programming Guide: the same for both cards.
    p.maxTexture1DMipmap = p.maxTexture2DMipmap[0] = p.maxTexture2DMipmap[1] = p.maxTexture2DGather[0] = p.maxTexture2DGather[1] = card.texture_layer;
    p.maxTextureCubemap = p.maxTextureCubemapLayered[0] = card.texture_layer;
    p.maxTexture2DLinear[0] = 131072, p.maxTexture2DLinear[1] = 65000, p.maxTexture2DLinear[2] = 2097120;
    p.maxTexture3DAlt[0] = p.maxTexture3DAlt[1] = card.texture_3d / 2, p.maxTexture3DAlt[2] = 2 * card.texture_3d;
    p.maxSurface1D = p.maxSurface1DLayered[0] = p.maxSurface2DLayered[0] = p.maxSurface2DLayered[1] = p.maxSurfaceCubemap =
        p.maxSurfaceCubemapLayered[0] = card.texture_layer;
    p.maxSurface2D[0] = card.texture_1d, p.maxSurface2D[1] = card.texture_2d_height;
    for (int& most : p.maxSurface3D) most = card.texture_3d;
    p.maxSurface1DLayered[1] = p.maxSurface2DLayered[2] = card.texture_layers;
    p.maxTextureCubemapLayered[1] = p.maxSurfaceCubemapLayered[1] = card.texture_layers - 2;
    p.managedMemory = p.concurrentManagedAccess = p.cooperativeLaunch = p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.clusterLaunch = card.major >= 9;
    *properties = p;
    return cudaSuccess;
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetDeviceCount(int* count) {
    if (count == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
    if (device == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : __ok::fail(cudaErrorInvalidDevice); }
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceReset(OK_AT) {
    __ok::ok_stream_order(__ok::JOIN_DEVICE, nullptr, nullptr);  // so that what kernels have printed is seen
    __ok::ok_device_reset(at);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDriverGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (device != 0 || peer != 0) return __ok::fail(cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceEnablePeerAccess(int device, unsigned) {
    return __ok::fail(device == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceDisablePeerAccess(int) { return __ok::fail(cudaErrorInvalidDevice); }
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4
};
// Of two devices, where there is one.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
    return __ok::fail(cudaErrorInvalidDevice);
}
// The card that is nearest to what is asked for: there is one.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
    if (device == nullptr || properties == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

// Settings that change a GPU's speed alone: accepted.
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6
};
constexpr unsigned cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
                   cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceScheduleMask = 7, cudaDeviceMapHost = 8;
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
namespace __ok {
inline size_t limits[] = {1024, 1 << 20, 8 << 20, 0, 2048, 128, 0};  // by cudaLimit: what a new context has
}  // namespace __ok
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    if (static_cast<unsigned>(limit) > cudaLimitPersistingL2CacheSize) return __ok::fail(cudaErrorInvalidValue);
    if (limit == cudaLimitPersistingL2CacheSize && value > static_cast<size_t>(__ok::CARD.persisting_l2_bytes))
        return __ok::fail(cudaErrorInvalidValue);
    __ok::limits[limit] = value;
    if (limit == cudaLimitMallocHeapSize) __ok::ok_malloc_heap(value);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    if (value == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (static_cast<unsigned>(limit) > cudaLimitPersistingL2CacheSize) return __ok::fail(cudaErrorInvalidValue);
    *value = __ok::limits[limit];
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    if (config == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}
namespace __ok {
inline unsigned device_flags = cudaDeviceScheduleAuto;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaSetDeviceFlags(unsigned flags) {
    __ok::device_flags = flags;
    return cudaSuccess;
}

// A function of the driver by its name. The simulator has no driver: it knows the one that describes a tensor to the copy engine.
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2  // spelt so in CUDA
};
#define cudaEnableDefault 0x0
#define cudaEnableLegacyStream 0x1
#define cudaEnablePerThreadDefaultStream 0x2
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** function, unsigned, unsigned long long, cudaDriverEntryPointQueryResult* how = nullptr) {
    if (symbol == nullptr || function == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *function = __ok::CARD.major >= 9 ? __ok::ok_driver_function(symbol) : nullptr;
    if (how != nullptr) *how = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGetDriverEntryPoint(
    const char* symbol, void** function, unsigned long long flags, cudaDriverEntryPointQueryResult* how = nullptr) {
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, how);
}

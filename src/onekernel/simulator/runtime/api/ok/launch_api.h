// Launches by function: cudaLaunchKernel, cudaLaunchCooperativeKernel, cudaLaunchKernelEx.
#pragma once
#include "memory_api.h"

template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                    cudaStream_t stream = nullptr, OK_AT) {
    return __ok::result(__ok::launch_kernel(kernel, grid, block, arguments, shared, stream, false, at));
}
template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                               size_t shared = 0, cudaStream_t stream = nullptr, OK_AT) {
    return __ok::result(__ok::launch_kernel(kernel, grid, block, arguments, shared, stream, true, at));
}

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
    int cooperative, programmaticStreamSerializationAllowed, priority;
    struct {
        unsigned x, y, z;
    } clusterDim;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

namespace __ok {
// A launch's configuration and where it was passed: a pack of arguments leaves no room for a Site of its own.
struct ConfigAt {
    const cudaLaunchConfig_t* config;
    Site at;
    ConfigAt(const cudaLaunchConfig_t* config, Site at = Site()) : config(config), at(at) {}
};
template <class T>
struct Parameter {
    typedef T type;
};
inline dim3 cluster_of(const cudaLaunchConfig_t& c) {
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        const auto& shape = c.attrs[i].val.clusterDim;
        if (c.attrs[i].id == cudaLaunchAttributeClusterDimension) return dim3(shape.x, shape.y, shape.z);
    }
    return dim3();
}
}  // namespace __ok

template <class... P>
inline cudaError_t cudaLaunchKernelEx(__ok::ConfigAt how, void (*kernel)(P...),
                                      typename __ok::Parameter<P>::type... arguments) {
    if (how.config == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const cudaLaunchConfig_t& c = *how.config;
    bool cooperative = false;
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        if (c.attrs[i].id == cudaLaunchAttributeCooperative) cooperative = c.attrs[i].val.cooperative != 0;
    }
    const __ok::LaunchSite site{nullptr, "", reinterpret_cast<const void*>(kernel), how.at};
    __ok::Config config(c.gridDim, c.blockDim, c.dynamicSmemBytes, c.stream, cooperative);
    config.cluster = __ok::cluster_of(c);
    return __ok::result(__ok::__launch(site, config, kernel, arguments...));
}

// Upper bounds: a cluster must also fit a group of neighbouring multiprocessors, which is not modelled.
template <class... P>
inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void (*kernel)(P...), const cudaLaunchConfig_t* config) {
    if (clusters == nullptr || config == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const dim3 shape = __ok::cluster_of(*config), block = config->blockDim;
    const unsigned size = shape.x * shape.y * shape.z;
    const void* address = reinterpret_cast<const void*>(kernel);
    if (size == 0 || size > static_cast<unsigned>(__ok::ok_most_in_cluster(address))) return __ok::fail(cudaErrorInvalidClusterSize);
    const int each = __ok::ok_resident_blocks(address, static_cast<int>(block.x * block.y * block.z), config->dynamicSmemBytes);
    *clusters = each * __ok::CARD.multiprocessors / static_cast<int>(size);
    return cudaSuccess;
}
template <class... P>
inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, void (*kernel)(P...), const cudaLaunchConfig_t* config) {
    if (size == nullptr || config == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const dim3 block = config->blockDim;
    const void* address = reinterpret_cast<const void*>(kernel);
    const int each = __ok::ok_resident_blocks(address, static_cast<int>(block.x * block.y * block.z), config->dynamicSmemBytes);
    *size = each > 0 ? __ok::ok_most_in_cluster(address) : 0;
    return cudaSuccess;
}

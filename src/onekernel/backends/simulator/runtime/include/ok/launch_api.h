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
}  // namespace __ok

template <class... P>
inline cudaError_t cudaLaunchKernelEx(__ok::ConfigAt how, void (*kernel)(P...),
                                      typename __ok::Parameter<P>::type... arguments) {
    if (how.config == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const cudaLaunchConfig_t& c = *how.config;
    bool cooperative = false;
    dim3 shape;
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        const cudaLaunchAttributeValue& value = c.attrs[i].val;
        if (c.attrs[i].id == cudaLaunchAttributeCooperative) cooperative = value.cooperative != 0;
        if (c.attrs[i].id == cudaLaunchAttributeClusterDimension)
            shape = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
    }
    const __ok::LaunchSite site{nullptr, "", reinterpret_cast<const void*>(kernel), how.at};
    __ok::Config config(c.gridDim, c.blockDim, c.dynamicSmemBytes, c.stream, cooperative);
    config.cluster = shape;
    return __ok::result(__ok::__launch(site, config, kernel, arguments...));
}

// Launches by function: cudaLaunchKernel, cudaLaunchCooperativeKernel, cudaLaunchKernelEx.
#pragma once
#include "memory_api.h"

template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                    cudaStream_t stream = nullptr, OK_AT) {
    return ok::result(ok::launch_kernel(kernel, grid, block, arguments, shared, stream, false, at));
}
template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                               size_t shared = 0, cudaStream_t stream = nullptr, OK_AT) {
    return ok::result(ok::launch_kernel(kernel, grid, block, arguments, shared, stream, true, at));
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

namespace ok {
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
}  // namespace ok

template <class... P>
inline cudaError_t cudaLaunchKernelEx(ok::ConfigAt how, void (*kernel)(P...),
                                      typename ok::Parameter<P>::type... arguments) {
    if (how.config == nullptr) return ok::fail(cudaErrorInvalidValue);
    const cudaLaunchConfig_t& c = *how.config;
    bool cooperative = false;
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        const cudaLaunchAttributeValue& value = c.attrs[i].val;
        if (c.attrs[i].id == cudaLaunchAttributeCooperative) cooperative = value.cooperative != 0;
        const bool cluster = c.attrs[i].id == cudaLaunchAttributeClusterDimension;
        if (cluster && value.clusterDim.x * value.clusterDim.y * value.clusterDim.z != 1) {
            ok::ok_unsupported("thread block clusters", how.at);
            return ok::fail(cudaErrorNotSupported);
        }
    }
    const ok::LaunchSite site{nullptr, "", reinterpret_cast<const void*>(kernel), how.at};
    const ok::Config config(c.gridDim, c.blockDim, c.dynamicSmemBytes, c.stream, cooperative);
    return ok::result(ok::launch(site, config, kernel, arguments...));
}

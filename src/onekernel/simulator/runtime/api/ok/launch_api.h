// Launches by function: cudaLaunchKernel, cudaLaunchCooperativeKernel, cudaLaunchKernelEx.
#pragma once
#include "memory_api.h"

template <class... P>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                    cudaStream_t stream = nullptr, OK_AT) {
    return __ok::result(__ok::launch_kernel(kernel, grid, block, arguments, shared, stream, false, at));
}
template <class... P>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                               size_t shared = 0, cudaStream_t stream = nullptr, OK_AT) {
    return __ok::result(__ok::launch_kernel(kernel, grid, block, arguments, shared, stream, true, at));
}
namespace __ok {
inline cudaError_t launch_address(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream,
                                  bool cooperative, Site at) {
    if (kernel == nullptr) return fail(cudaErrorInvalidDeviceFunction);
    const Launcher launcher = ok_launcher_of(kernel);
    return launcher ? result(launcher(kernel, grid, block, arguments, shared, stream, cooperative, at)) : fail(cudaErrorInvalidResourceHandle);
}
}  // namespace __ok
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                    cudaStream_t stream = nullptr, OK_AT) {
    return __ok::launch_address(kernel, grid, block, arguments, shared, stream, false, at);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared = 0, cudaStream_t stream = nullptr, OK_AT) {
    return __ok::launch_address(kernel, grid, block, arguments, shared, stream, true, at);
}

enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    cudaAccessProperty hitProp, missProp;
};
enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto = 1,
    cudaSyncPolicySpin = 2,
    cudaSyncPolicyYield = 3,
    cudaSyncPolicyBlockingSync = 4
};
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
    cudaAccessPolicyWindow accessPolicyWindow;
    cudaSynchronizationPolicy syncPolicy;
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

// Attributes of a stream change a GPU's speed alone: what L2 keeps, how the host waits. They are checked and kept.
typedef cudaLaunchAttributeID cudaStreamAttrID;
typedef cudaLaunchAttributeValue cudaStreamAttrValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
namespace __ok {
inline cudaLaunchAttributeValue stream_attributes[cudaLaunchAttributePriority + 1] = {};  // one set: no speed depends on it
inline bool of_streams(cudaStreamAttrID id) {
    return id == cudaStreamAttributeAccessPolicyWindow || id == cudaStreamAttributeSynchronizationPolicy ||
           id == cudaStreamAttributePriority;
}
}  // namespace __ok
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID id, const cudaStreamAttrValue* value) {
    if (value == nullptr || !__ok::of_streams(id)) return __ok::fail(cudaErrorInvalidValue);
    const cudaAccessPolicyWindow& window = value->accessPolicyWindow;
    if (id == cudaStreamAttributeAccessPolicyWindow) {
        const bool fits = window.num_bytes <= static_cast<size_t>(__ok::CARD.policy_window_bytes);
        const bool ratio = window.hitRatio >= 0.0f && window.hitRatio <= 1.0f;
        if (!fits || !ratio || window.missProp == cudaAccessPropertyPersisting) return __ok::fail(cudaErrorInvalidValue);
    }
    __ok::stream_attributes[id] = *value;
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID id, cudaStreamAttrValue* value) {
    if (value == nullptr || !__ok::of_streams(id)) return __ok::fail(cudaErrorInvalidValue);
    *value = __ok::stream_attributes[id];
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) { return cudaSuccess; }

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
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaLaunchKernelEx(__ok::ConfigAt how, void (*kernel)(P...),
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
    return __ok::result(__ok::launch_now(site, config, kernel, arguments...));
}

// Upper bounds: a cluster must also fit a group of neighbouring multiprocessors, which is not modelled.
template <class... P>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void (*kernel)(P...), const cudaLaunchConfig_t* config) {
    if (clusters == nullptr || config == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const dim3 shape = __ok::cluster_of(*config), block = config->blockDim;
    const unsigned size = shape.x * shape.y * shape.z;
    const void* address = reinterpret_cast<const void*>(kernel);
    const auto most = static_cast<unsigned>(__ok::ok_most_in_cluster(address));
    const bool is_wide = most > static_cast<unsigned>(__ok::CARD.cluster_blocks);  // the kernel may have more than all cards take
    if (size == 0 || (size > most && !is_wide)) return __ok::fail(cudaErrorInvalidClusterSize);
    if (size > most) {  // an H200: none fits, and that is no error
        *clusters = 0;
        return cudaSuccess;
    }
    const int each = __ok::ok_resident_blocks(address, static_cast<int>(block.x * block.y * block.z), config->dynamicSmemBytes);
    *clusters = each * __ok::CARD.multiprocessors / static_cast<int>(size);
    return cudaSuccess;
}
template <class... P>
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, void (*kernel)(P...), const cudaLaunchConfig_t* config) {
    if (size == nullptr || config == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const dim3 block = config->blockDim;
    const void* address = reinterpret_cast<const void*>(kernel);
    const int each = __ok::ok_resident_blocks(address, static_cast<int>(block.x * block.y * block.z), config->dynamicSmemBytes);
    *size = each > 0 ? __ok::ok_most_in_cluster(address) : 0;
    return cudaSuccess;
}

// Graphs made node by node. A node is added behind those that it depends on, so that the order of the calls is one that its
// edges allow; edges that are added later are refused by name.
#pragma once
#include <tuple>

struct cudaKernelNodeParams;

namespace __ok {
// A node that runs `work(stream)`, its own copy.
template <class Work>
OK_INLINE cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, Work work) {
    if (node == nullptr || graph == nullptr || (count > 0 && after == nullptr)) return fail(cudaErrorInvalidValue);
    void* made = ok_graph_add(graph, [](void* data, void* stream) { (*static_cast<Work*>(data))(static_cast<cudaStream_t>(stream)); },
                              [](void* data) { delete static_cast<Work*>(data); }, new Work(work));
    *node = static_cast<cudaGraphNode_t>(made);
    return cudaSuccess;
}

// The address of a kernel, which keeps what its parameters are; all zero, it is none.
struct KernelOfNode {
    const void* address;
    cudaError_t (*add)(const void*, cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t, const struct ::cudaKernelNodeParams&, Site);
    KernelOfNode() = default;
    KernelOfNode(std::nullptr_t) : address(nullptr), add(nullptr) {}
    template <class... P>
    KernelOfNode(void (*kernel)(P...)) { *this = kernel; }
    template <class... P>
    KernelOfNode& operator=(void (*kernel)(P...));
};
}  // namespace __ok

struct cudaKernelNodeParams {
    __ok::KernelOfNode func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void** kernelParams;
    void** extra;
};
struct cudaMemsetParams {
    void* dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void* userData;
};

namespace __ok {
template <class... P, size_t... I>
OK_INLINE cudaError_t add_kernel(void (*kernel)(P...), std::index_sequence<I...>, cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count, const cudaKernelNodeParams& p, Site at) {
    if (sizeof...(P) > 0 && p.kernelParams == nullptr) return fail(cudaErrorInvalidValue);
    return add_node(node, graph, after, count,
                    keep(LaunchSite{nullptr, "", reinterpret_cast<const void*>(kernel), at}, Config(p.gridDim, p.blockDim, p.sharedMemBytes),
                         kernel, *static_cast<std::remove_reference_t<P>*>(p.kernelParams[I])...));
}
template <class... P>
KernelOfNode& KernelOfNode::operator=(void (*kernel)(P...)) {
    address = reinterpret_cast<const void*>(kernel);
    add = nullptr;
    if (kernel == nullptr) return *this;
    add = [](const void* of, cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
             const cudaKernelNodeParams& p, Site at) {
        return add_kernel(reinterpret_cast<void (*)(P...)>(const_cast<void*>(of)), std::index_sequence_for<P...>(), node, graph, after, count, p, at);
    };
    return *this;
}
}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    if (graph == nullptr || flags != 0) return __ok::fail(cudaErrorInvalidValue);
    *graph = static_cast<cudaGraph_t>(__ok::ok_graph_copy(nullptr));
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                               const cudaKernelNodeParams* p, OK_AT) {
    if (p == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (p->func.add == nullptr) return __ok::fail(cudaErrorInvalidDeviceFunction);
    return p->func.add(p->func.address, node, graph, after, count, *p, at);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                                 void* to, const void* from, size_t bytes, cudaMemcpyKind kind, OK_AT) {
    return __ok::add_node(node, graph, after, count, [=](cudaStream_t stream) { (void)cudaMemcpyAsync(to, from, bytes, kind, stream, at); });
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                               const cudaMemcpy3DParms* p, OK_AT) {
    if (p == nullptr) return __ok::fail(cudaErrorInvalidValue);
    return __ok::add_node(node, graph, after, count, [box = *p, at](cudaStream_t stream) { (void)cudaMemcpy3DAsync(&box, stream, at); });
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                               const cudaMemsetParams* p, OK_AT) {
    if (p == nullptr || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return __ok::fail(cudaErrorInvalidValue);
    const unsigned bytes = p->value & 255, size = p->elementSize;
    const unsigned alike = size == 1 ? bytes : size == 2 ? bytes * 0x101u : bytes * 0x1010101u;
    // Elements whose bytes differ would need a kernel of our own.
    if (size > 1 && p->value != alike) return __ok::fail(cudaErrorNotSupported);
    const cudaMemsetParams params = *p;
    return __ok::add_node(node, graph, after, count, [=](cudaStream_t stream) {
        for (size_t row = 0; row < (params.height > 0 ? params.height : 1); ++row)
            (void)cudaMemsetAsync(static_cast<char*>(params.dst) + row * params.pitch, static_cast<int>(bytes), params.width * size, stream, at);
    });
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                             const cudaHostNodeParams* p) {
    if (p == nullptr || p->fn == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const cudaHostNodeParams params = *p;
    return __ok::add_node(node, graph, after, count, [=](cudaStream_t stream) { (void)cudaLaunchHostFunc(stream, params.fn, params.userData); });
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count) {
    return __ok::add_node(node, graph, after, count, [](cudaStream_t) {});
}

// Memory of a graph: there from its node on, at one address for all launches. What a program frees stays the graph's.
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned = 1, cudaMemAllocationTypeManaged = 2 };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0, cudaMemHandleTypePosixFileDescriptor = 1 };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    void* win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};
struct cudaMemAccessDesc {
    cudaMemLocation location;
    cudaMemAccessFlags flags;
};
struct cudaMemAllocNodeParams {
    cudaMemPoolProps poolProps;
    const cudaMemAccessDesc* accessDescs;
    size_t accessDescCount, bytesize;
    void* dptr;
};
enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent = 0, cudaGraphMemAttrUsedMemHigh = 1, cudaGraphMemAttrReservedMemCurrent = 2, cudaGraphMemAttrReservedMemHigh = 3
};
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                                 cudaMemAllocNodeParams* p) {
    if (p == nullptr || p->bytesize == 0 || p->poolProps.allocType != cudaMemAllocationTypePinned) return __ok::fail(cudaErrorInvalidValue);
    if (const int error = __ok::ok_graph_alloc(&p->dptr, p->bytesize)) return __ok::fail(static_cast<cudaError_t>(error));
    return __ok::add_node(node, graph, after, count, [](cudaStream_t) {});
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                                void* pointer) {
    if (!__ok::ok_is_of_graph(pointer)) return __ok::fail(cudaErrorInvalidValue);
    return __ok::add_node(node, graph, after, count, [](cudaStream_t) {});
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType, void* value) {
    if (device != 0 || value == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *static_cast<unsigned long long*>(value) = __ok::ok_graph_memory();
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType what, void* value) {
    const bool high = what == cudaGraphMemAttrUsedMemHigh || what == cudaGraphMemAttrReservedMemHigh;
    return device == 0 && value != nullptr && high ? cudaSuccess : __ok::fail(cudaErrorInvalidValue);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaDeviceGraphMemTrim(int device) { return device == 0 ? cudaSuccess : __ok::fail(cudaErrorInvalidDevice); }

// All of another graph, as it is now, as one node.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                                   cudaGraph_t child) {
    if (node == nullptr || graph == nullptr || child == nullptr || (count > 0 && after == nullptr)) return __ok::fail(cudaErrorInvalidValue);
    *node = static_cast<cudaGraphNode_t>(__ok::ok_graph_add(graph, [](void* data, void* stream) { __ok::ok_graph_run(data, stream); },
                                                            [](void* data) { __ok::ok_graph_drop(data); }, __ok::ok_graph_copy(child)));
    return cudaSuccess;
}

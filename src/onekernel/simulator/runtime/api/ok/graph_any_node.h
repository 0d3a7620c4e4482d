// cudaGraphAddNode, which adds a node of any kind, conditional ones among them, and capture into a graph that is there already.
#pragma once

typedef unsigned long long cudaGraphConditionalHandle;
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf = 0, cudaGraphCondTypeWhile = 1, cudaGraphCondTypeSwitch = 2 };
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0, cudaGraphNodeTypeMemcpy = 1, cudaGraphNodeTypeMemset = 2, cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4, cudaGraphNodeTypeEmpty = 5, cudaGraphNodeTypeConditional = 13
};
enum cudaStreamUpdateCaptureDependenciesFlags { cudaStreamAddCaptureDependencies = 0, cudaStreamSetCaptureDependencies = 1 };
struct cudaGraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
};
struct cudaMemcpyNodeParams {
    int flags, reserved;
    cudaMemcpy3DParms copyParams;
};
struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
};
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t* phGraph_out;
};
typedef cudaKernelNodeParams cudaKernelNodeParamsV2;
typedef cudaMemsetParams cudaMemsetParamsV2;
typedef cudaHostNodeParams cudaHostNodeParamsV2;
struct cudaGraphNodeParams {  // a union in CUDA
    cudaGraphNodeType type;
    cudaKernelNodeParamsV2 kernel;
    cudaMemcpyNodeParams memcpy;
    cudaMemsetParamsV2 memset;
    cudaHostNodeParamsV2 host;
    cudaChildGraphNodeParams graph;
    cudaConditionalNodeParams conditional;
};

namespace __ok {
OK_INLINE cudaError_t add_choice(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, cudaConditionalNodeParams& p) {
    if (node == nullptr || graph == nullptr || (count > 0 && after == nullptr)) return fail(cudaErrorInvalidValue);
    void** bodies = nullptr;
    *node = static_cast<cudaGraphNode_t>(ok_choice(graph, p.handle, p.type, p.size, &bodies));
    p.phGraph_out = reinterpret_cast<cudaGraph_t*>(bodies);
    return *node != nullptr ? cudaSuccess : fail(cudaErrorInvalidValue);
}
}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned initial = 0,
                                                                         unsigned flags = 0) {
    if (handle == nullptr || graph == nullptr || flags > cudaGraphCondAssignDefault) return __ok::fail(cudaErrorInvalidValue);
    *handle = __ok::ok_condition(initial, flags == cudaGraphCondAssignDefault);
    return cudaSuccess;
}
OK_ALWAYS void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) { __ok::ok_set_condition(handle, value); }

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                                         const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* p, OK_AT) {
    if (p == nullptr) return __ok::fail(cudaErrorInvalidValue);
    if (edges != nullptr) return __ok::fail(cudaErrorNotSupported);  // launches that begin before the one that they depend on has ended
    switch (p->type) {
        case cudaGraphNodeTypeKernel: return cudaGraphAddKernelNode(node, graph, after, count, &p->kernel, at);
        case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams, at);
        case cudaGraphNodeTypeMemset: return cudaGraphAddMemsetNode(node, graph, after, count, &p->memset, at);
        case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(node, graph, after, count, &p->host);
        case cudaGraphNodeTypeGraph: return cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
        case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, after, count);
        case cudaGraphNodeTypeConditional: return __ok::add_choice(node, graph, after, count, p->conditional);
    }
    return __ok::fail(cudaErrorInvalidValue);
}
// CUDA 12's form.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                                         cudaGraphNodeParams* p, OK_AT) {
    return cudaGraphAddNode(node, graph, after, nullptr, count, p, at);
}

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
                                                                      const cudaGraphEdgeData*, size_t count, cudaStreamCaptureMode mode) {
    if (graph == nullptr || (count > 0 && after == nullptr)) return __ok::fail(cudaErrorInvalidValue);
    return __ok::graph_result(__ok::ok_capture_begin(stream, mode, graph));
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr,
                                                                 cudaGraph_t* graph = nullptr, const cudaGraphNode_t** after = nullptr,
                                                                 const cudaGraphEdgeData** edges = nullptr, size_t* count = nullptr) {
    if (cudaError_t error = cudaStreamIsCapturing(stream, status)) return error;
    void* const* last = nullptr;
    size_t nodes = 0;
    void* made = *status == cudaStreamCaptureStatusActive ? __ok::ok_capture_graph(stream, &last, &nodes) : nullptr;
    if (made == nullptr) return cudaSuccess;
    if (id != nullptr) *id = reinterpret_cast<unsigned long long>(made);
    if (graph != nullptr) *graph = static_cast<cudaGraph_t>(made);
    if (after != nullptr) *after = reinterpret_cast<const cudaGraphNode_t*>(last);
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = nodes;
    return cudaSuccess;
}
// CUDA 12's form.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr,
                                                                    cudaGraph_t* graph = nullptr, const cudaGraphNode_t** after = nullptr,
                                                                    size_t* count = nullptr) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, after, nullptr, count);
}
// Nodes are done in the order in which they were added, behind all that the stream may be told to wait for.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                                                            size_t count, unsigned flags = 0) {
    if (flags > cudaStreamSetCaptureDependencies || (count > 0 && after == nullptr)) return __ok::fail(cudaErrorInvalidValue);
    return __ok::ok_capture_status(stream) == 1 ? cudaSuccess : __ok::fail(cudaErrorIllegalState);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after, size_t count, unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(stream, after, nullptr, count, flags);
}

// CUDA graphs from stream capture, and, in graph_nodes.h, node by node. A file that names one of these functions includes this
// header first (rewrite/__init__.py), so that its launches can be kept.
#pragma once
#include "graph_calls.h"
#include "kept_launch.h"

typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal = 1, cudaStreamCaptureModeRelaxed = 2
};
enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload = 2, cudaGraphInstantiateFlagDeviceLaunch = 4,
    cudaGraphInstantiateFlagUseNodePriority = 8
};

namespace __ok {
inline cudaError_t graph_result(int error) { return error ? fail(static_cast<cudaError_t>(error)) : cudaSuccess; }

// What <<<...>>> becomes in such a file: into a captured stream the bytes of the parameters are kept.
struct Captured {
    template <class... P>
    OK_QUIET static int launch(const LaunchSite& site, const Config& config, void (*kernel)(P...), std::remove_reference_t<P>&... parameters) {
        typedef KeptLaunch<P...> Work;
        const int how = ok_capturing(config.stream);
        if (how > 0) return ok_refuse_launch(&site, how);
        if (how == 0) return launch_now(site, config, kernel, parameters...);
        ok_capture_work(config.stream, [](void* data, void* stream) OK_QUIET { (*static_cast<Work*>(data))(static_cast<cudaStream_t>(stream)); },
                        [](void* data) { delete static_cast<Work*>(data); },
                        new Work(keep(site, config, kernel, parameters...)));
        return 0;
    }
};
}  // namespace __ok
#define __how Captured

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return __ok::graph_result(__ok::ok_capture_begin(stream, mode, nullptr));
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    void* made = nullptr;
    const cudaError_t error = __ok::graph_result(__ok::ok_capture_end(stream, &made));
    if (graph != nullptr) *graph = static_cast<cudaGraph_t>(made);  // without it, the program has the graph already
    return error;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long = 0) {
    if (made == nullptr || graph == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *made = static_cast<cudaGraphExec_t>(__ok::ok_graph_copy(graph));
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags = 0) {
    return cudaGraphInstantiate(made, graph, flags);
}
// CUDA 11's form, which tells of errors by a node and a text.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
    return cudaGraphInstantiate(made, graph);
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    if (graph == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const int how = __ok::ok_capturing(stream);
    if (how > 0) return __ok::graph_result(how);
    if (how == 0) return __ok::graph_result(__ok::ok_graph_run(graph, stream));
    __ok::ok_graph_capture(graph, stream);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t) {
    return graph == nullptr ? __ok::fail(cudaErrorInvalidValue) : cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    if (graph == nullptr) return __ok::fail(cudaErrorInvalidValue);
    __ok::ok_graph_drop(graph);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    if (graph == nullptr) return __ok::fail(cudaErrorInvalidValue);
    __ok::ok_graph_drop(graph);
    return cudaSuccess;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    if (clone == nullptr || graph == nullptr) return __ok::fail(cudaErrorInvalidValue);
    *clone = static_cast<cudaGraph_t>(__ok::ok_graph_copy(graph));
    return cudaSuccess;
}
// How many nodes there are; which they are has no use here.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    if (graph == nullptr || count == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const size_t all = __ok::ok_graph_size(graph);
    for (size_t i = 0; nodes != nullptr && i < *count; ++i) nodes[i] = nullptr;
    *count = nodes == nullptr || all < *count ? all : *count;
    return cudaSuccess;
}

#include "graph_nodes.h"
#include "graph_any_node.h"
#include "graph_updates.h"

// What a graph that can be launched does is changed: by another graph of the same nodes, or a node at a time.
#pragma once

enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0, cudaGraphExecUpdateError = 1, cudaGraphExecUpdateErrorTopologyChanged = 2
};
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};

namespace __ok {
// The node does what `add` adds to a graph.
template <class Add>
OK_INLINE cudaError_t update_node(cudaGraphExec_t made, cudaGraphNode_t node, Add add) {
    if (made == nullptr || node == nullptr) return fail(cudaErrorInvalidValue);
    cudaGraphNode_t added = nullptr;
    void* graph = ok_graph_copy(nullptr);
    cudaError_t error = add(&added, static_cast<cudaGraph_t>(graph));
    if (error == cudaSuccess && !ok_graph_update_node(made, node, graph)) error = fail(cudaErrorInvalidValue);
    ok_graph_drop(graph);
    return error;
}
}  // namespace __ok

OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
    if (made == nullptr || graph == nullptr || info == nullptr) return __ok::fail(cudaErrorInvalidValue);
    const bool same = __ok::ok_graph_update(made, graph);
    *info = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
    return same ? cudaSuccess : __ok::fail(cudaErrorGraphExecUpdateFailure);
}
// CUDA 11's form.
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphNode_t* node,
                                                            cudaGraphExecUpdateResult* result) {
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = cudaGraphExecUpdate(made, graph, &info);
    if (node != nullptr) *node = nullptr;
    if (result != nullptr) *result = info.result;
    return error;
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node, const cudaKernelNodeParams* p, OK_AT) {
    return __ok::update_node(made, node, [&](cudaGraphNode_t* n, cudaGraph_t g) { return cudaGraphAddKernelNode(n, g, nullptr, 0, p, at); });
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t made, cudaGraphNode_t node, void* to, const void* from,
                                                                           size_t bytes, cudaMemcpyKind kind, OK_AT) {
    return __ok::update_node(made, node, [&](cudaGraphNode_t* n, cudaGraph_t g) {
        return cudaGraphAddMemcpyNode1D(n, g, nullptr, 0, to, from, bytes, kind, at);
    });
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node, const cudaMemcpy3DParms* p, OK_AT) {
    return __ok::update_node(made, node, [&](cudaGraphNode_t* n, cudaGraph_t g) { return cudaGraphAddMemcpyNode(n, g, nullptr, 0, p, at); });
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node, const cudaMemsetParams* p, OK_AT) {
    return __ok::update_node(made, node, [&](cudaGraphNode_t* n, cudaGraph_t g) { return cudaGraphAddMemsetNode(n, g, nullptr, 0, p, at); });
}
OK_LIBRARY_HOST_ONLY inline cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node, const cudaHostNodeParams* p) {
    return __ok::update_node(made, node, [&](cudaGraphNode_t* n, cudaGraph_t g) { return cudaGraphAddHostNode(n, g, nullptr, 0, p); });
}

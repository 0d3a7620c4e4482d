"""That a kernel has written, or has not, tells the host a bit: of a graded file only as many as a few flags take."""

from pathlib import Path

import pytest

from onekernel import simulator

LAUNCHER = """#include <cuda_runtime.h>
__host__ __device__ unsigned secret(int i) { unsigned v = i * 2654435761u; return (v ^ v >> 15) >> 7 & 1; }
static unsigned char other[4];
__global__ void tell(volatile unsigned char* cell, int i) { if (secret(i)) *cell = 1; }
%s
// How many of n bits the host knows afterwards: more than it is `told` is an error.
extern "C" cudaError_t tell_it(int n, int told, cudaStream_t stream) {
    unsigned char* cell;
    %s
    int known = 0;
    for (int i = 0; i < n; i++) {
        *cell = 0;
        %s
        cudaStreamSynchronize(stream);
        known += (*cell != 0) == secret(i);
    }
    return known > told ? cudaErrorUnknown : cudaGetLastError();
}
"""
LAUNCH = "tell<<<1, 1, 0, stream>>>(cell, i);"
GRAPH = """__global__ void choose(cudaGraphConditionalHandle body, int i) { cudaGraphSetConditional(body, secret(i)); }
static void chosen(unsigned char* cell, unsigned char* one, int i, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaGraphConditionalHandle body;
    cudaGraphNode_t first, node;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&body, graph);
    cudaKernelNodeParams p = {};
    void* arguments[] = {&body, &i};
    p.func = (void*)choose, p.gridDim = p.blockDim = dim3(1), p.kernelParams = arguments;
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p);
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeConditional, c.conditional.handle = body, c.conditional.size = 1;
    cudaGraphAddNode(&node, graph, &first, nullptr, 1, &c);
    %s
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, stream);
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
}
"""
COPIES = """cudaGraph_t body_graph = c.conditional.phGraph_out[0];
    cudaGraphAddMemcpyNode1D(&node, body_graph, nullptr, 0, cell, one, 1, cudaMemcpyDeviceToHost);"""
CALLS = """cudaHostNodeParams h = {[](void* at) { *static_cast<unsigned char*>(at) = 1; }, cell};
    cudaGraphAddHostNode(&node, c.conditional.phGraph_out[0], nullptr, 0, &h);"""
PINNED = "cudaHostAlloc(&cell, %d, cudaHostAllocMapped);"
ONE = "unsigned char* one; cudaMalloc(&one, 1); cudaMemsetAsync(one, 1, 1, stream);"
CHOSEN = "chosen(cell, one, i, stream);"
PROTOTYPES = ["cudaError_t tell_it(int n, int told, cudaStream_t stream);"]


def called(tmp_path: Path, before: str, memory: str, launch: str, arguments: list[int]):
    path = tmp_path / "tell.cu"
    path.write_text(LAUNCHER % (before, memory, launch), encoding="utf-8")
    return simulator.build(path, "check", scrambled=True, prototypes=PROTOTYPES).call("tell_it", arguments)


@pytest.mark.parametrize(
    ("before", "memory", "launch"),
    [("", "cudaMallocManaged(&cell, 4);", LAUNCH),
     ("", "cudaMallocManaged(&cell, 3);", LAUNCH),
     ("", PINNED % 4, LAUNCH),
     ("", PINNED % 1, LAUNCH),
     ("", "cell = other; cudaHostRegister(other + 1, 2, 0); cell = other + 1;", LAUNCH),
     (GRAPH % COPIES, ONE + PINNED % 4, CHOSEN)],
    ids=["managed", "managed-3-bytes", "pinned", "pinned-1-byte", "registered", "pinned-conditional"],
)  # fmt: skip
def test_of_many_launches_the_host_does_not_know_which_wrote(tmp_path: Path, before: str, memory: str, launch: str):
    report = called(tmp_path, before, memory, launch, [2000, 1500])
    assert report.status_name == "cudaSuccess"  # half of them are guessed
    assert "host-copy" in {f.code for f in report.findings}


@pytest.mark.parametrize(("node", "named"), [(COPIES, "not page-locked"), (CALLS, "a function of the host")])
def test_what_a_conditional_node_chooses_does_nothing_for_the_host(tmp_path: Path, node: str, named: str) -> None:
    report = called(tmp_path, GRAPH % node, ONE + "cell = other;", CHOSEN, [100, 75])
    assert {f.code for f in report.findings} == {"unsupported"}
    assert named in report.findings[0].message.values["what"]


@pytest.mark.parametrize("memory", ["cudaMallocManaged(&cell, 4);", PINNED % 4])
def test_a_flag_that_tells_a_few_times_whether_to_go_on_is_the_hosts(tmp_path: Path, memory: str) -> None:
    assert called(tmp_path, "", memory, LAUNCH, [16, 15]).status_name == "cudaErrorUnknown"


def test_memory_of_the_host_that_kernels_leave_alone_is_as_it_was(tmp_path: Path) -> None:
    """Even beside a workspace that they write, and that the host could read."""
    path = tmp_path / "tell.cu"
    path.write_text("""#include <cuda_runtime.h>
__global__ void work(float* space, int n) { for (int i = 0; i < n; i++) space[i] += 1.0f; }
extern "C" cudaError_t tell_it(int n, int told, cudaStream_t stream) {
    float* space;
    int* lengths;
    cudaMallocManaged(&space, 4096);
    cudaMallocManaged(&lengths, 8 * sizeof(int));
    for (int i = 0; i < 8; i++) lengths[i] = 100 + i;
    for (int i = 0; i < 1024; i++) space[i] = 0.0f;
    for (int i = 0; i < n; i++) {
        work<<<1, 1, 0, stream>>>(space, lengths[i % 8]);
        cudaStreamSynchronize(stream);
        if (lengths[i % 8] != 100 + i % 8) return cudaErrorUnknown;
    }
    cudaFree(space);
    cudaFree(lengths);
    return cudaGetLastError();
}
""", encoding="utf-8")  # fmt: skip
    program = simulator.build(path, "check", scrambled=True, prototypes=PROTOTYPES)
    assert program.call("tell_it", [200, 0]).status_name == "cudaSuccess"

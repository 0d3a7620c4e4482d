"""Stream capture and graphs in the simulator: what is kept, what a launch does, and what CUDA forbids meanwhile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import Buffer
from support.simulated import clean, run

KERNELS = """
#include <cuda_runtime.h>
__global__ void add(const float* a, float* y, float by) { y[threadIdx.x] = a[threadIdx.x] + by; }
__global__ void twice(float* y) { y[threadIdx.x] *= 2; }
"""

RIGHT = (
    KERNELS
    + """
static void count(void* times) { ++*(int*)times; }
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t) {
    cudaStream_t stream, side;
    cudaStreamCreate(&stream);
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEvent_t fork, join;
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    float *a, *b;
    cudaMalloc(&a, 32 * sizeof(float));
    cudaMalloc(&b, 32 * sizeof(float));
    int times = 0;
    if (cudaError_t e = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)) return e;
    float by = 1;
    add<<<1, 32, 0, stream>>>(x, a, by);
    by = 100;  // the kept launch has its own
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(side, fork);
    cudaMemsetAsync(b, 0, 32 * sizeof(float), side);
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(side, &status);
    if (status != cudaStreamCaptureStatusActive) return cudaErrorUnknown;
    twice<<<1, 32, 0, side>>>(b);
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(stream, join);
    cudaMemcpyAsync(b, a, 16 * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    add<<<1, 32, 0, stream>>>(b, y, 0);
    cudaLaunchHostFunc(stream, count, &times);
    cudaGraph_t graph, copy;
    if (cudaError_t e = cudaStreamEndCapture(stream, &graph)) return e;
    cudaStreamIsCapturing(stream, &status);
    size_t nodes = 0;
    if (cudaError_t e = cudaGraphGetNodes(graph, nullptr, &nodes)) return e;
    if (nodes != 6 || status != cudaStreamCaptureStatusNone || times != 0) return cudaErrorUnknown;
    cudaGraphExec_t ready;
    if (cudaError_t e = cudaGraphInstantiate(&ready, graph, 0)) return e;
    if (cudaError_t e = cudaGraphClone(&copy, graph)) return e;
    cudaGraphDestroy(copy);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 3; i++)
        if (cudaError_t e = cudaGraphLaunch(ready, stream)) return e;
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaFree(a);
    cudaFree(b);
    if (times != 3) return cudaErrorUnknown;
    return cudaStreamDestroy(stream);
}
"""
)

WRONG = (
    KERNELS
    + """
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t) {
    cudaStream_t stream, side;
    cudaStreamCreate(&stream);
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    float said[19] = {}, *p;
    int at = 0;
    cudaGraph_t graph;
    auto begin = [&](cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
        (void)cudaStreamBeginCapture(stream, mode);
    };
    auto end = [&] { said[at++] = cudaStreamEndCapture(stream, &graph); };
    begin();
    said[at++] = cudaStreamSynchronize(stream);
    end();
    begin();
    said[at++] = cudaDeviceSynchronize();
    end();
    begin();
    said[at++] = cudaMalloc(&p, 4);
    end();
    begin();
    said[at++] = cudaMemset(y, 0, 4);
    end();
    begin();
    (void)cudaEventRecord(event, stream);
    (void)cudaStreamWaitEvent(side, event);
    (void)cudaMemsetAsync(y, 0, 4, side);
    said[at++] = cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal);
    end();  // side was not joined
    said[at++] = cudaStreamEndCapture(side, &graph);
    said[at++] = cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
    begin(cudaStreamCaptureModeRelaxed);
    said[at++] = cudaMalloc(&p, 4);
    (void)cudaEventRecord(event, stream);
    said[at++] = cudaEventSynchronize(event);
    end();
    int device = 0;
    cudaMemPool_t pool;
    uint64_t keeps = 0;
    begin();
    said[at++] = cudaDeviceGetMemPool(&pool, device);
    said[at++] = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps);
    end();
    (void)cudaFree(p);
    (void)cudaGetLastError();
    return cudaMemcpy(y, said, sizeof said, cudaMemcpyHostToDevice);
}
"""
)


def test_a_captured_stream_is_kept_and_launched_again_and_again(tmp_path: Path) -> None:
    x = np.arange(32, dtype=np.float32)
    got = clean(tmp_path, RIGHT, x, np.zeros(32, np.float32))
    np.testing.assert_array_equal(got, np.where(np.arange(32) < 16, x + 1, 0))


def test_what_waits_while_a_stream_is_captured_is_an_error_and_ends_the_capture(tmp_path: Path) -> None:
    got, report = run(tmp_path, WRONG, np.zeros(1, np.float32), np.zeros(19, np.float32))
    assert report.status_name == "cudaSuccess"
    assert got[:15].astype(int).tolist() == [900, 901, 900, 901, 900, 901, 906, 901, 401, 904, 401, 900, 0, 907, 901]
    assert got[15:].astype(int).tolist() == [0, 900, 901, 0]  # as an H200 answers


@pytest.mark.slow
def test_races_in_a_graph_are_found_at_the_kernels_line(tmp_path: Path) -> None:
    source = RIGHT.replace("y[threadIdx.x] *= 2;", "y[threadIdx.x / 2] *= 2;")
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "threadIdx.x / 2" in text)
    _, report = run(tmp_path, source, np.zeros(32, np.float32), np.zeros(32, np.float32))
    assert {(f.code, f.line) for f in report.findings} == {("race-global", line)}


MEMORY = """
#include <cuda_runtime.h>
__global__ void twice(const float* x, float* part) { part[threadIdx.x] = 2 * x[threadIdx.x]; }
__global__ void add(const float* part, float* y) { y[threadIdx.x] += part[threadIdx.x]; }
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    float* part;
    cudaMemset(y, 0, n * sizeof(float));
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaError_t e = cudaMallocAsync(&part, n * sizeof(float), stream);
    twice<<<1, n, 0, stream>>>(x, part);
    add<<<1, n, 0, stream>>>(part, y);
    if (!e) e = cudaFreeAsync(part, stream);
    if (!e) e = cudaStreamEndCapture(stream, &graph);
    if (!e) e = cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 3 && !e; ++i) e = cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    return e;
}
"""


def test_a_graph_has_memory_of_its_own_at_each_launch(tmp_path: Path) -> None:
    x = np.arange(32, dtype=np.float32)
    got = clean(tmp_path, MEMORY, x, np.zeros(32, np.float32))
    np.testing.assert_array_equal(got, 6 * x)


def test_nothing_goes_to_the_stream_that_is_captured_nor_is_it_waited_for(tmp_path: Path) -> None:
    """Only what the graph is launched in counts: the stream that the launcher was given, which is no default one."""
    path = tmp_path / "mine.cu"
    path.write_text(
        MEMORY.replace("cudaStream_t)", "cudaStream_t given)").replace("cudaMemset(y, 0, n * sizeof(float));", "")
        .replace("cudaStreamCreate(&stream)", "cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)")
        .replace("(ready, stream)", "(ready, given)").replace("Synchronize(stream)", "Synchronize(given)")
    )  # fmt: skip
    x = np.arange(32, dtype=np.float32)
    tensors = [Buffer(n, m.view(np.uint8), 0, m.nbytes, n == "y", 4, shape=(32,)) for n, m in (("x", x), ("y", 0 * x))]
    report = simulator.build(path, side_stream=True).call("run", [*tensors, 32])
    assert "wrong-stream" not in [f.code for f in report.findings]


REFUSED = (
    KERNELS
    + """
__global__ void many(float* y) { if (threadIdx.x == 0) y[0] = -1; }
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    cudaGraph_t graph, outer;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second, inner;
    cudaGraphCreate(&graph, 0);
    float by = 1;
    void* of_many[] = {&y};
    void* of_add[] = {&x, &y, &by};
    cudaKernelNodeParams params = {};
    params.func = (void*)many;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4096);
    params.kernelParams = of_many;
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params);
    params.func = (void*)add;
    params.blockDim = dim3(32);
    params.kernelParams = of_add;
    cudaGraphAddKernelNode(&second, graph, &first, 1, &params);
    if (NESTED) {
        cudaGraphCreate(&outer, 0);
        cudaGraphAddChildGraphNode(&inner, outer, nullptr, 0, graph);
        graph = outer;
    }
    cudaGraphInstantiate(&exec, graph, 0);
    const cudaError_t error = cudaGraphLaunch(exec, stream);
    return cudaGetLastError() == error ? error : cudaErrorUnknown;
}
"""
)


@pytest.mark.parametrize("nested", [0, 1])
def test_a_graph_with_a_launch_that_is_refused_is_refused_itself(nested: int, tmp_path: Path) -> None:
    x = np.arange(32, dtype=np.float32)
    got, report = run(tmp_path, REFUSED.replace("NESTED", str(nested)), x, np.zeros(32, np.float32))
    assert report.status_name == "cudaErrorInvalidValue"
    assert not got.any(), "a node behind the one that was refused has run"

"""Wavefronts and bank conflicts of wide accesses, held to what ncu counted on an H200: `banks_h200.json`."""

import json
from pathlib import Path

import numpy as np
import pytest

from onekernel import counts, simulator
from support.simulated import buffer

MEASURED = json.loads(Path(__file__).with_name("banks_h200.json").read_text(encoding="utf-8"))["cases"]
KERNEL = """\
__global__ void kernel_load(const int* index, {T}* y) {{
    __shared__ {T} s[512];
    for (int k = threadIdx.x; k < 512; k += 32) s[k] = y[k];
    __syncwarp();
    int i = index[threadIdx.x];
    if (i >= 0) y[threadIdx.x] = s[i];
}}
__global__ void kernel_store(const int* index, {T}* y) {{
    __shared__ {T} s[512];
    int i = index[threadIdx.x];
    {T} v = y[0];
    if (i >= 0) s[i] = v;
}}
extern "C" cudaError_t load(const int* index, {T}* y, cudaStream_t) {{
    kernel_load<<<1, 32>>>(index, y);
    return cudaGetLastError();
}}
extern "C" cudaError_t store(const int* index, {T}* y, cudaStream_t) {{
    kernel_store<<<1, 32>>>(index, y);
    return cudaGetLastError();
}}
"""
NAMES = {
    "load": (counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_LOAD_CONFLICTS),
    "store": (counts.SHARED_STORE_WAVEFRONTS, counts.SHARED_STORE_CONFLICTS),
}


@pytest.mark.parametrize("size", [pytest.param(8, marks=pytest.mark.slow), 16])
def test_wide_accesses_are_served_as_an_h200_serves_them(tmp_path, size):
    path = tmp_path / "banks.cu"
    path.write_text(KERNEL.format(T={8: "float2", 16: "float4"}[size]), encoding="utf-8")
    program = simulator.build(path, "count", machine_code=False)
    wrong = []
    for case in MEASURED:
        if case["bytes"] != size:
            continue
        index = np.array(case["index"], np.int32)
        given = [buffer("index", index, False), buffer("y", np.zeros(512 * size, np.uint8), True)]
        metrics = program.call(case["op"], given).kernels[0].metrics
        found = [int(metrics[name]) for name in NAMES[case["op"]]]
        if found != [case["wavefronts"], case["conflicts"]]:
            wrong.append((case["op"], case["pattern"], found, [case["wavefronts"], case["conflicts"]]))
    assert not wrong

COPY = """\
#include <cuda_pipeline.h>
struct alignas({bytes}) Piece {{ char of[{bytes}]; }};
__global__ void spread(const Piece* x, Piece* y) {{
    __shared__ Piece s[32 * {apart}];
    __pipeline_memcpy_async(&s[threadIdx.x * {apart}], &x[threadIdx.x], {bytes});
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[threadIdx.x] = s[threadIdx.x * {apart}];
}}
extern "C" cudaError_t run(const Piece* x, Piece* y, cudaStream_t) {{
    spread<<<1, 32>>>(x, y);
    return cudaGetLastError();
}}
"""


COPIES = [(4, {1: 0, 2: 1, 4: 3}), (8, {1: 0, 2: 2, 4: 6}), (16, {1: 0, 2: 4, 3: 0})]


@pytest.mark.parametrize(("size", "conflicts"), COPIES)
def test_an_asynchronous_copy_meets_banks_where_it_writes(tmp_path, size, conflicts):
    """As ncu counted on an H200, 2026-11-29: pieces so many apart."""
    for apart, wanted in conflicts.items():
        path = tmp_path / f"copy{apart}.cu"
        path.write_text(COPY.format(bytes=size, apart=apart), encoding="utf-8")
        given = [buffer("x", np.zeros(32 * size, np.uint8), False), buffer("y", np.zeros(32 * size, np.uint8), True)]
        kernel = simulator.build(path, "count", machine_code=False).call("run", given).kernels[0]
        assert kernel.metrics[counts.SHARED_COPY_CONFLICTS] == wanted
        assert kernel.metrics[counts.SHARED_STORE_CONFLICTS] == 0
        line = next(at for at in kernel.lines if at.line == 5)
        assert line.conflicts == wanted

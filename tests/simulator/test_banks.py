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

"""What the simulator bench makes of its measurements, and the number of accesses that it divides by."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from audits.simulator import limits, ratios
from onekernel import counts, simulator
from support.simulated import buffer

ROOT = Path(__file__).resolve().parents[2]


def test_a_row_of_softmax_makes_the_accesses_that_costs_are_divided_by() -> None:
    """A request without conflicts is one wavefront: of 32 lanes, except in the last steps of a tree."""
    x = np.random.default_rng(0).standard_normal((1, 1024)).astype(np.float32)
    program = simulator.build(ROOT / "solutions" / "softmax_block.cu", "count")
    report = program.call("softmax_block", [buffer("x", x, False), buffer("y", x, True), 1, 1024, 1024, 1024])
    kernel = report.kernels[0].metrics
    in_global = (kernel[counts.BYTES_LOADED] + kernel[counts.BYTES_STORED]) / 4
    wavefronts = kernel[counts.SHARED_LOAD_WAVEFRONTS] + kernel[counts.SHARED_STORE_WAVEFRONTS]
    # Of eight steps the last five have 16, 8, 4, 2 and 1 lanes at three requests each, where a full warp has 32.
    idle = 2 * 3 * sum(32 - lanes for lanes in (16, 8, 4, 2, 1))
    assert in_global + 32 * wavefronts - idle == limits.ACCESSES_A_ROW


def test_growth_tells_the_dearest_of_the_larger_sizes() -> None:
    each = limits.ACCESSES_A_ROW * 1e-9
    found = limits.growth({1: each * 10, 10: each * 10 * 8, 100: each * 100 * 12})
    assert found["ns_per_access"] == pytest.approx({1: 10, 10: 8, 100: 12})
    assert found["worst_ratio"] == pytest.approx(1.2)
    assert found["accesses"][100] == 100 * limits.ACCESSES_A_ROW


def test_the_committed_table_is_that_of_the_committed_figures() -> None:
    found = json.loads((ROOT / "bench/results/cpu/simulator.json").read_text(encoding="utf-8"))
    assert found["tables"]["limits"] == limits.table(found)
    assert max(found["peak_memory"].values()) <= 500e6
    modes = json.loads((ROOT / "bench/results/cpu/modes.json").read_text(encoding="utf-8"))
    assert modes["tables"]["ratios"] == ratios.table(modes)
    for times in modes["kernels"].values():
        assert times["bounds"] < min(times["check"], times["count-only"]) and times["check"] < times["count"]


@pytest.mark.slow
def test_gigabytes_that_nobody_touches_cost_nothing_and_too_many_are_refused_as_cuda_does(tmp_path):
    path = tmp_path / "large.cu"
    path.write_text(
        "#include <cuda_runtime.h>\n#include <stdint.h>\n"
        'extern "C" cudaError_t run(int64_t gib, cudaStream_t stream) {\n'
        "    float* large = nullptr;\n    cudaError_t error = cudaMalloc(&large, (size_t)gib << 30);\n"
        "    if (error != cudaSuccess) return error;\n    return cudaFree(large);\n}\n"
    )
    program = simulator.build(path)
    assert program.call("run", [6]).status_name == "cudaSuccess"
    assert program.call("run", [20]).status_name == "cudaErrorMemoryAllocation"

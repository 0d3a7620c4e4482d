"""softmax_triton over many lengths in one process, in any order and with any configuration that it may choose.

What one call leaves behind (a tuned configuration, a remembered launch, a team's words) must not reach the next one.
The clock chooses nothing here: it is luck, and each choice that it could make must be right.
"""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = [pytest.mark.gpu, pytest.mark.slow]

SOLUTION = Path(__file__).resolve().parents[2] / "solutions" / "record" / "softmax_triton.py"
TILES = (1, 33, 300, 1000, 3072, 3073, 12288, 24575, 24576)  # up to TILE_COLS, one program has a whole row
LONGER = (24577, 25001, 49152, 65537, 98304, 262143, 500_000, 1_000_000, 1_048_577, 2_000_000, 3_145_728, 5_000_001)
RELATIVE = {"float32": 3e-5, "float16": 7e-4, "bfloat16": 5e-3}  # as the grader's, onekernel.ops.softmax
LEAST = {"float32": 1.2e-38, "float16": 6.2e-5 * 2.0**-10, "bfloat16": 1.2e-38}


@pytest.fixture
def solution() -> ModuleType:
    """The solution as a fresh module: nothing is tuned, no launch remembered."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs an NVIDIA GPU")
    pytest.importorskip("triton")
    spec = importlib.util.spec_from_file_location("softmax_triton_of_this_test", SOLUTION)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(rows: int, cols: int, dtype: str, device: str = "cuda") -> Any:
    """Values whose largest of each row lies in its last column: a row that is cut short has another sum."""
    import torch

    x = torch.randn((rows, cols), device=device, dtype=torch.float32)
    x[:, -1] += 12.0
    return x.to(getattr(torch, dtype))


def assert_right(got: Any, x: Any, dtype: str) -> None:
    """Each element, and each row's sum, against float64."""
    import torch

    want = torch.softmax(x.double(), 1)
    error = (got.double() - want).abs()
    assert (error <= RELATIVE[dtype] * want + LEAST[dtype]).all(), (tuple(x.shape), dtype, error.max().item())
    sums = (got.double().sum(1) - want.to(got.dtype).double().sum(1)).abs().max().item()
    assert sums <= RELATIVE[dtype], (tuple(x.shape), dtype, sums)


def by_lot(solution: ModuleType, seed: int) -> None:
    """Any configuration that the pruning keeps is chosen, whichever is fast."""
    lot = random.Random(seed)
    for kernel in (solution.tile, solution.team):
        kernel._bench = lambda *args, config, **meta: [lot.random()] * 3


def in_order(order: str) -> list[int]:
    lengths = sorted(TILES + LONGER)
    if order == "random":
        random.Random(7).shuffle(lengths)
    return lengths[::-1] if order == "falling" else lengths


@pytest.mark.parametrize("dtype", RELATIVE)
@pytest.mark.parametrize("order", ["rising", "falling", "random"])
def test_lengths_after_each_other_are_right_in_any_order(solution, order, dtype):
    by_lot(solution, seed=len(order))
    for cols in (*in_order(order), *in_order(order)[::3]):  # the second time from what is remembered
        x = drawn(max(3, min(300, 2**20 // cols)), cols, dtype)
        assert_right(solution.softmax_triton(x), x, dtype)


@pytest.mark.parametrize("dtype", RELATIVE)
@pytest.mark.parametrize("scope", ["tile", "team"])
def test_every_configuration_is_right_wherever_the_pruning_keeps_it(solution, scope, dtype):
    kernel, chosen = getattr(solution, scope), set()
    lengths = TILES if scope == "tile" else [c for c in LONGER if c <= 2_000_000]
    inputs = [drawn(3, cols, dtype) for cols in lengths]
    for wanted in kernel.configs:
        kernel._bench = lambda *args, config, wanted=wanted, **meta: [float(config is not wanted)] * 3
        kernel.cache.clear()
        solution.LAUNCHES.clear()
        for x in inputs:
            assert_right(solution.softmax_triton(x), x, dtype)
            chosen.add(str(kernel.best_config))
    assert chosen == {str(config) for config in kernel.configs}, "a configuration that no length may choose"


@pytest.mark.parametrize("cols", [1000, 24576, 25001, 500_000, 5_000_001])
def test_in_place(solution, cols):
    by_lot(solution, seed=cols)
    x = drawn(3, cols, "float32")
    for _ in range(2):
        y = x.clone()
        assert solution.softmax_triton(y, y) is y
        assert_right(y, x, "float32")


def test_a_tensor_of_another_device_than_the_current_one(solution):
    import torch

    if torch.cuda.device_count() < 2:
        pytest.skip("needs two NVIDIA GPUs")
    by_lot(solution, seed=2)
    with torch.cuda.device(0):
        for cols in (1000, 25001, 1000, 25001):
            x = drawn(3, cols, "float32", "cuda:1")
            assert_right(solution.softmax_triton(x), x, "float32")


@pytest.mark.parametrize("cols", [4096, 50257])
def test_more_elements_than_an_int32_counts(solution, cols):
    import torch

    rows = 2**31 // cols + 3
    if torch.cuda.mem_get_info()[0] < 6 * 2**31:  # x and out, 2 bytes each, and room to compare
        pytest.skip("needs 12 GB of free GPU memory")
    by_lot(solution, seed=3)
    x = torch.zeros((rows, cols), device="cuda", dtype=torch.bfloat16)
    for part in (slice(0, 3), slice(rows - 3, rows)):
        x[part] = drawn(3, cols, "bfloat16")
    got = solution.softmax_triton(x)
    for part in (slice(0, 3), slice(rows - 3, rows)):
        assert_right(got[part], x[part], "bfloat16")

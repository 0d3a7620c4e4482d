"""What inputs of an operator have in common, so that no kind of mistake is left untried."""

from __future__ import annotations

import numpy as np
import pytest

from onekernel.grading import buffers
from onekernel.ops import OPERATORS
from onekernel.ops.base import DTYPES, SIMULATED, Case, Operator
from onekernel.ops.gemm import is_exact
from onekernel.ways import SPARSE

OF_ROWS = ("softmax", "softmax_mul", "rmsnorm", "gemm")


def strided(operator: Operator, case: Case) -> list[tuple[int, int]]:
    """Row stride and columns of each input whose rows may lie apart."""
    asked = [p for p in operator.inputs() if p.row_stride]
    return [(buffers.row_stride(case, p), buffers.shape(case, p)[-1]) for p in asked]


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_rows_that_begin_on_vectors_end_within_them(name: str, dtype: str) -> None:
    each = 16 // DTYPES[dtype].itemsize
    some = [strided(OPERATORS[name], c) for c in OPERATORS[name].cases if c.plain and any(c.gaps.values())]
    assert any(all(not stride % each and cols % each for stride, cols in rows) for rows in some)


@pytest.mark.parametrize("name", OF_ROWS[:3])
@pytest.mark.parametrize("longest", [1024, 2048, 4096, 8192, 16_384, 65_536])
def test_many_rows_and_far_rows_are_tried_at_each_length(name: str, longest: int) -> None:
    cases = [c for c in OPERATORS[name].cases if c.way == SPARSE and c.runs(SIMULATED)]
    here = [c.sizes["rows"] for c in cases if longest / 4 < c.sizes["cols"] <= longest]
    assert max(here, default=0) > 65_536
    assert any(c.sizes["cols"] > 8192 and c.sizes["rows"] == 3 and max(c.gaps.values()) >= 1 << 31 for c in cases)


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_the_first_call_comes_again_with_one_argument_changed(name: str) -> None:
    operator = OPERATORS[name]
    first, *others = operator.cases
    assert first.plain and not first.shift and not any(first.gaps.values())

    def told(case: Case) -> dict[str, object]:
        gaps = {f"stride of {t}": case.gaps.get(t, 0) for t in ("x", "y", "w", "residual", "a", "b", "c")}
        moved = {f"address of {p.name}": case.shift + case.apart.get(p.name, 0) for p in operator.parameters}
        return {**case.sizes, **case.scalars, **gaps, **moved}

    usual, changed = told(first), set()
    for case in others:
        if case.plain:
            now = told(case)
            which = {key for key in usual if usual[key] != now[key]}
            changed |= which if len(which) == 1 else set()
    tensors = [p.name for p in operator.parameters if p.role in ("in", "out", "inout") and p.name != "out"]
    assert {f"address of {t}" for t in tensors} <= changed
    assert {f"stride of {p.name}" for p in operator.parameters if p.row_stride} <= changed
    assert set(first.scalars) <= changed
    assert {"k"} & set(first.sizes) <= changed


def test_products_of_whole_numbers_are_exact_and_no_others() -> None:
    whole = {"a": np.full((2, 700), 3.0), "b": np.full((700, 3), 2.0), "transpose_b": np.array(0.0)}
    one = {"alpha": np.array(1.0), "beta": np.array(0.0)}
    assert is_exact(whole | one)
    assert not is_exact(whole | one | {"alpha": np.array(0.3)})
    assert not is_exact(whole | one | {"a": whole["a"] + 0.5})
    assert not is_exact(whole | one | {"a": whole["a"] * 1e6})
    assert not is_exact(whole | one | {"a": np.where(np.arange(700) == 5, np.inf, whole["a"])})
    compare = OPERATORS["gemm"].compare
    want = np.full((2, 3), 4200.0)
    rounded = np.full((2, 3), 4192.0)  # what bfloat16 makes of it: steps of 32
    assert compare(rounded, want, "bfloat16", whole | one) is None
    parts = np.full((2, 3), 4224.0)  # seven parts of 600, each rounded to 600 or 604 before
    assert compare(parts, want, "bfloat16", whole | one) is not None

"""Whether a way's output is right: a few of its rows against the operator in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from onekernel.bench.fusion.cases import Case
from onekernel.bench.fusion.ways import EPS, Tensors
from onekernel.ops import OPERATORS
from onekernel.ops.base import Arrays, Mismatch, worst

ROWS = 4
LOOSE = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 6e-2}  # operator by operator, each result is rounded
COS_COS = {"float32": 1e-6, "float16": 5.5e-4, "bfloat16": 4.3e-3}  # of a polynomial, twice, and of one rounding


class WrongOutput(ValueError):
    """A way wrote something else than its operator."""


def check(case: Case, t: Tensors, out: Any, strict: bool) -> None:
    """Raises WrongOutput. `strict`: with the tolerance of the exercise, for what rounds once."""
    rows = sorted({0, case.shape[0] - 1, *np.random.default_rng(0).integers(0, case.shape[0], ROWS).tolist()})
    names = {"softmax_mul": {"x": t.x, "w": t.w}, "rmsnorm": {"x": t.x, "residual": t.w}}
    inputs: Arrays = {k: _rows(v, rows) for k, v in names.get(case.operation, {"x": t.x}).items()}
    if case.operation == "rmsnorm":
        inputs |= {"weight": t.weight.double().cpu().numpy(), "eps": np.array(np.float32(EPS), np.float64)}
    if case.operation == "gelu":
        inputs["approximate"] = np.array(1.0)
    got = _rows(out, rows)
    if case.operation == "cos_cos":
        want = np.cos(np.cos(inputs["x"]))
        found = worst(got, want, COS_COS[case.dtype] * np.ones_like(want))
    else:
        operator = OPERATORS[case.operation]
        want = operator.oracle(inputs)["y"]
        found = operator.compare(got, want, case.dtype, inputs)
    if not strict:
        found = worst(got, want, LOOSE[case.dtype] * (np.abs(want) + np.abs(want).mean()))
    if found:
        raise WrongOutput(_told(found))


def _rows(tensor: Any, rows: list[int]) -> np.ndarray:
    picked: np.ndarray = tensor[rows].double().cpu().numpy()
    return picked


def _told(found: Mismatch) -> str:
    return f"{found.count} of {found.total} wrong, the worst {found.got!r} instead of {found.want!r} at {found.index}"

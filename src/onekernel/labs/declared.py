"""An operator from the few lines of an exercise.toml: its tensors, how their values are drawn, its inputs.

    [tensors.x]
    shape = ["rows", "cols"]      # names of sizes, or numbers
    values = "normal"             # one of GENERATORS; `below` is for those that draw whole numbers
    gap = true                    # rows lie x_row_stride apart, a size of the launcher's
    [tensors.y]
    shape = ["rows"]
    out = true

There is no oracle: what the exercise's answer makes of the same bytes is right (`grading.calling`). `meant` says what
that should be, for the author: NumPy expressions of the inputs and the sizes by name.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.checks.options import MOST_COUNTED, About, Mistake, Number, keys_of, one_of, wanted, whole
from onekernel.messages import Message
from onekernel.ops.base import ELEMENTS, Arrays, Case, Ledger, Mismatch, Operator, Parameter, Sizes, worst

GROUP = "inputs"
_NOWHERE = Path()
_TENSOR_KEYS = ("shape", "values", "below", "out", "gap", "dtype")
_GAPS = (3, 0, 5, 1)  # elements between two rows of a tensor with a gap: of the first input, the second, ...
_BELOW = 10
_Draw = Callable[[np.random.Generator, int, int], np.ndarray]  # generator, elements, `below` -> float64

GENERATORS: dict[str, _Draw] = {
    "normal": lambda rng, n, below: rng.standard_normal(n),
    "wide": lambda rng, n, below: rng.standard_normal(n) * 100,
    "negative": lambda rng, n, below: -2 - 10 * rng.random(n),
    "positive": lambda rng, n, below: rng.random(n) + 0.01,
    "whole": lambda rng, n, below: rng.integers(0, below, n).astype(np.float64),
    "index": lambda rng, n, below: np.arange(n, dtype=np.float64),
    "shuffled": lambda rng, n, below: rng.permutation(n).astype(np.float64),
    "signs": lambda rng, n, below: rng.integers(-1, 2, n).astype(np.float64),
    "ones": lambda rng, n, below: np.ones(n),
}


def operator(name: str, data: Mapping[str, Any], at: Callable[[str], str]) -> Operator:
    """The operator that `data` declares. `at` is told each key as it is read. Raises Mistake."""
    tensors = data["tensors"]
    if not isinstance(tensors, dict) or not tensors:
        raise wanted(at("tensors"), tensors, "table")
    every = _inputs(data.get(at("inputs")))
    parameters = [_tensor(tensor, tensors[at(tensor)], every[0], at) for tensor in tensors]
    if not any(p.role == "out" for p in parameters):
        raise Mistake("no-output", at("tensors"))
    strides = [Parameter(p.row_stride, "size") for p in parameters if p.row_stride]
    told = [Parameter(size, "size") for size in every[0]]
    drawn = {p.name: tensors[p.name] for p in parameters if p.role == "in"}
    fill = partial(_fill, tuple(p for p in parameters if p.role == "in"), drawn)
    gaps = [p.name for p in parameters if p.row_stride]
    at("inputs")
    cases = tuple(_case(one, fill, gaps, nth) for nth, one in enumerate(every))
    Number().read(at("tolerance"), data.get("tolerance", 0), About(_NOWHERE, name, None))
    within = float(data.get("tolerance", 0))
    everything = (*parameters, *told, *strides)
    compare, ledger = partial(_compare, within), partial(_ledger, everything)
    return Operator(name, everything, cases, lambda inputs: {}, compare, ledger, declared=True)


def is_expression(text: object) -> bool:
    """Whether `text` is one expression of Python."""
    try:
        ast.parse(text if isinstance(text, str) else "", mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def meant(told: Mapping[str, str], inputs: Arrays, sizes: Sizes) -> Arrays:
    """Each output as its expression has it, of the inputs, the sizes and the outputs before. Raises what it raises."""
    known: dict[str, Any] = {"np": np, **sizes, **inputs}
    for name, expression in told.items():
        known[name] = eval(expression, known)  # the course's own text, which only an author's checks evaluate
    return {name: known[name] for name in told}


def _inputs(value: Any) -> list[dict[str, int]]:
    if not isinstance(value, list) or not value or not all(isinstance(v, dict) and v for v in value):
        raise wanted("inputs", value, "list-of-inputs")
    for one in value:
        sizes("inputs", one, value[0])
    if not any(all(one.values()) for one in value):  # a kernel that does nothing is right on the others
        raise wanted("inputs", value, "list-of-inputs")
    found: list[dict[str, int]] = value
    return found


def sizes(key: str, given: Any, known: Iterable[str]) -> None:
    """Raises Mistake for what is no table of the known sizes, each with a number; 0 is one."""
    if not isinstance(given, dict):
        raise wanted(key, given, "table")
    names = list(known)
    keys_of(key, given, names)
    if set(given) != set(names):
        raise Mistake("missing-size", None, key=key, name=", ".join(sorted(set(names) - set(given))))
    for name, number in given.items():
        whole(f"{key}.{name}", number, 0, MOST_COUNTED)


def _tensor(name: str, data: Any, sizes: Mapping[str, int], at: Callable[[str], str]) -> Parameter:
    if not isinstance(data, dict):
        raise wanted(name, data, "table")
    keys_of(name, data, _TENSOR_KEYS)
    shape = data.get("shape")
    if not isinstance(shape, list) or not shape:
        raise wanted("shape", shape, "list")
    for part in shape:
        if not isinstance(part, int) or isinstance(part, bool):
            one_of("shape", part, sizes)
    dtype = str(data.get("dtype", ""))
    if dtype:
        one_of("dtype", dtype, ELEMENTS)
    for truth in ("out", "gap"):
        if not isinstance(data.get(truth, False), bool):
            raise wanted(truth, data[truth], "truth")
    if data.get("out"):
        keys_of(name, {k: None for k in data if k in ("values", "below")}, ("shape", "out", "gap", "dtype"))
    elif "values" not in data:
        raise Mistake("no-values", None, name=name, known=", ".join(GENERATORS))
    else:
        one_of("values", data["values"], GENERATORS)
        whole("below", data.get("below", _BELOW), 1, 1 << 24)
    stride = f"{name}_row_stride" if data.get("gap") else None
    return Parameter(name, "out" if data.get("out") else "in", tuple(map(str, shape)), stride, dtype)


def _case(
    sizes: Mapping[str, int], fill: Callable[[np.random.Generator, Sizes], Arrays], gaps: Sequence[str], nth: int
) -> Case:
    told = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    about = Message("practice.input", {"sizes": told})
    apart = {name: _GAPS[(nth + i) % len(_GAPS)] for i, name in enumerate(gaps)}
    return Case(f"input-{nth + 1}", GROUP, sizes, fill, about, apart)


def _dims(p: Parameter, sizes: Sizes) -> tuple[int, ...]:
    return tuple(int(s) if s.isdigit() else sizes[s] for s in p.shape)


def _fill(
    tensors: Sequence[Parameter], told: Mapping[str, Mapping[str, Any]], rng: np.random.Generator, sizes: Sizes
) -> Arrays:
    def drawn(p: Parameter) -> np.ndarray:
        dims, how = _dims(p, sizes), told[p.name]
        return GENERATORS[how["values"]](rng, math.prod(dims), how.get("below", _BELOW)).reshape(dims)

    return {p.name: drawn(p) for p in tensors}


def _compare(within: float, got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """|got - want| <= within * (1 + |want|); with 0, the very same numbers."""
    return worst(got, want, within * (1 + np.abs(np.nan_to_num(want))))


def _ledger(parameters: Sequence[Parameter], sizes: Sizes, itemsize: int) -> Ledger:
    """Every tensor moved once; what is computed is not known."""
    moved = {role: sum(math.prod(_dims(p, sizes)) for p in parameters if p.role == role) for role in ("in", "out")}
    return Ledger(moved["in"] * itemsize, moved["out"] * itemsize, 0)

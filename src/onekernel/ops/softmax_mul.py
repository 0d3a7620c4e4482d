"""Row softmax with an epilogue: y[r, c] = softmax(x)[r, c] * w[r, c], w of x's shape with a row stride of its own.

Special values follow torch.nn.functional.softmax(x, 1) * w: a NaN in w stays where it is, one in x fills its row.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops import softmax
from onekernel.ops.base import Arrays, Case, Fill, Ledger, Mismatch, Operator, Parameter, Sizes, between, worst
from onekernel.ops.softmax.cases import REPEATED
from onekernel.ways import REFUSED, SPARSE

# The softmax's tolerances, with the rounding of one result instead of two: a probability that is rounded to half
# precision before it is multiplied shows.
RELATIVE = {"float32": 3e-5, "float16": 5.5e-4, "bfloat16": 4.3e-3}


def oracle(inputs: Arrays) -> Arrays:
    """x, w of shape (rows, cols) -> y of the same shape, in float64."""
    with np.errstate(invalid="ignore"):
        return {"y": softmax.oracle({"x": inputs["x"]})["y"] * inputs["w"]}


def compare(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """Element by element, relative. A probability too small for its type counts as 0, however large its factor."""
    with np.errstate(invalid="ignore"):
        smallest = softmax.ABSOLUTE[dtype] * np.maximum(1.0, np.abs(inputs["w"]))
    return worst(got, want, RELATIVE[dtype] * np.abs(want) + smallest)


def ledger(sizes: Sizes, itemsize: int) -> Ledger:
    """Two reads and one write of every element; the softmax's 5 FLOPs and one multiplication."""
    elements = sizes["rows"] * sizes["cols"]
    return Ledger(2 * elements * itemsize, elements * itemsize, 6 * elements)


def _with_w(fill: Fill, special: bool = False, scale: float = 3.0) -> Fill:
    """The softmax's input, and factors of both signs, some of them 0: their columns count in the sum all the same. With
    `special` some are NaN or infinite."""

    def both(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        drawn = fill(rng, sizes)
        w = rng.standard_normal(drawn["x"].shape) * scale
        w[rng.random(w.shape) < 0.05] = 0.0
        if special:
            odd = rng.random(w.shape) < 0.05
            w[odd] = rng.choice([0.0, np.nan, np.inf, -np.inf], int(odd.sum()))
        return drawn | {"w": w}

    return both


_GAPS = ((3, 8, 0), (0, 8, 3), (4, 8, 5))  # w's is the largest: by another stride one reads wrong, not outside
_MOVED = ({"w": 1}, {"w": 2, "y": 1}, {"x": 3})


def _of_softmax(case: Case, nth: int) -> Case:
    """A case of the softmax with a w: where rows lie apart, w's lie apart by another stride than x's and y's."""
    gaps = dict(case.gaps)
    if case.on_vectors:
        gaps |= {"w": max(gaps.values()) + 16}
    elif any(gaps.values()):
        gaps = dict(zip("xwy", _GAPS[nth % len(_GAPS)], strict=True))
    moved = _MOVED[nth % len(_MOVED)] if case.group == "unaligned" else {}
    fill = _with_w(case.fill, case.group == "special")
    name = f"{case.name}-{nth}" if gaps != dict(case.gaps) or moved else case.name
    return Case(name, case.group, case.sizes, fill, Message("ops.softmax_mul", {"softmax": case.about}), gaps,
                case.shift, apart=moved)  # fmt: skip


def _large(case: Case) -> Case:
    """A case of the softmax of more elements than 32 bits count: where rows lie far apart, w's do, too."""
    most = max(case.gaps.values())
    gaps = dict(case.gaps) | ({"w": most + (32 if case.on_vectors else 31)} if most else {})
    return replace(_of_softmax(replace(case, gaps={}), 0), gaps=gaps, way=SPARSE, only=case.only)


def _vast(case: Case) -> Case:
    """A case of the softmax with factors that bfloat16 holds and half precision does not."""
    about = Message("ops.softmax_mul_vast", {"softmax": case.about})
    fill = _with_w(case.fill, scale=1e5)
    return Case(f"{case.name}-vast", "range", case.sizes, fill, about, dtypes=("bfloat16",))


def _repeated() -> tuple[Case, ...]:
    """The softmax's first call with one argument changed, those of w among them, and between them as it was."""
    first, *others = softmax.OPERATOR.cases
    usual = _of_softmax(first, 0)
    changed = [replace(usual, group=c.group, name=c.name, sizes=c.sizes, gaps=c.gaps, apart=c.apart,
                       about=Message("ops.softmax_mul", {"softmax": c.about}))
               for c in others if c in REPEATED and "-again" not in c.name]  # fmt: skip
    changed.append(replace(usual, group="strides", name=f"{first.name}-w6", gaps={"w": 6}))
    changed.append(replace(usual, group="unaligned", name=f"{first.name}-w1", apart={"w": 1}))
    return between(usual, changed)


_PLAIN = tuple(case for case in softmax.OPERATOR.cases if case.plain and case not in REPEATED)
_REFUSED = tuple(case for case in softmax.OPERATOR.cases if case.way == REFUSED)
CASES = (
    *(_of_softmax(case, nth) for nth, case in enumerate(_PLAIN)),
    *(replace(_of_softmax(case, nth), way=REFUSED) for nth, case in enumerate(_REFUSED)),
    *(_large(case) for case in softmax.OPERATOR.cases if case.way == SPARSE and case.group in ("large", "long")),
    *_repeated(),
    _vast(next(case for case in _PLAIN if case.name == "normal-3x255")),
)

OPERATOR = Operator(
    name="softmax_mul",
    parameters=(
        Parameter("x", "in", ("rows", "cols"), "x_row_stride"),
        Parameter("w", "in", ("rows", "cols"), "w_row_stride"),
        Parameter("y", "out", ("rows", "cols"), "y_row_stride"),
        Parameter("rows", "size"),
        Parameter("cols", "size"),
        Parameter("x_row_stride", "size"),
        Parameter("w_row_stride", "size"),
        Parameter("y_row_stride", "size"),
    ),
    cases=CASES,
    oracle=oracle,
    compare=compare,
    ledger=ledger,
)

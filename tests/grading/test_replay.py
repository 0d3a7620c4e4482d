"""A replayed mistake is named where it gives the kernel's numbers, and no other is ever named in its place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from onekernel.backends.base import Buffer, CallReport
from onekernel.grading import buffers, replay
from onekernel.grading.buffers import Call
from onekernel.grading.replay import factors
from onekernel.grading.replay.base import Mistake
from onekernel.grading.replay.strides import stride_cause
from onekernel.grading.replay.tell import SEEN
from onekernel.messages import Message, area
from onekernel.ops import OPERATORS
from onekernel.ops.base import DTYPES, Operator
from onekernel.sandbox.supervisor import CallOutcome

MOST = 300  # rows or columns of the inputs here: each mistake is made on all of them
GROUPS = {
    "softmax": ("shapes", "peaked", "range", "special", "strides"),
    "dot_product": ("shapes", "counted", "special"),
    "vector_add": ("exact-blocks", "special"),
    "gelu": ("exact", "tanh", "range", "special"),
    "softmax_mul": ("shapes", "special", "strides"),
    "rmsnorm": ("shapes", "eps", "range", "special", "strides"),
}
EXERCISES = [*((name, "float32") for name in GROUPS), ("softmax", "float16"), ("gelu", "bfloat16")]


def calls(operator: Operator, dtype: str, most: int = MOST) -> list[Call]:
    cases = [c for g in GROUPS[operator.name] for c in operator.group(g) if max(c.sizes.values()) <= most]
    return [buffers.make(operator, "any", case, dtype, seed=11) for case in cases]


def outcome(operator: Operator, call: Call, y: np.ndarray) -> CallOutcome:
    """What a kernel gives that writes `y` and nothing else."""
    (output,) = operator.outputs()
    buffer = next(a for a in call.args if isinstance(a, Buffer) and a.name == output.name)
    memory = buffer.memory.copy()
    moved = Buffer(output.name, memory, buffer.offset, buffer.extent, True, buffer.itemsize)
    with np.errstate(all="ignore"):
        bits = np.asarray(y).astype(DTYPES[call.dtype]).view(f"u{buffer.itemsize}")
    buffers._elements(moved, call.case, output, call.dtype)[...] = bits
    after = {a.name: a.memory for a in call.args if isinstance(a, Buffer)} | {output.name: memory}
    return CallOutcome(CallReport(0, "cudaSuccess"), after)


def made(operator: Operator, call: Call) -> Iterator[Mistake]:
    yield from replay.mistakes(operator, call)


@pytest.mark.parametrize(("name", "dtype"), EXERCISES)
@pytest.mark.slow
@pytest.mark.sample(every=4)
def test_a_mistake_is_named_or_nothing_is(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each mistake, made on every input: its own sentence; or what the results have in common, or none, where the
    inputs cannot tell it from another."""
    operator = OPERATORS[name]
    planned = calls(operator, dtype, most=130)
    by_key: dict[object, list[np.ndarray | None]] = {}
    with np.errstate(all="ignore"):
        once = {id(call): list(made(operator, call)) for call in planned}
        monkeypatch.setattr(replay, "mistakes", lambda _, call: once[id(call)])
        for n, call in enumerate(planned):
            for mistake in once[id(call)]:
                by_key.setdefault(mistake.key, [None] * len(planned))[n] = mistake.make()
        causes = {key[0] for key in by_key}
        one_each = {}  # the first of a cause, and a sample of its variants
        for n, key in enumerate(by_key):
            if key[0] not in one_each or n % 400 == 0:
                one_each.setdefault(key[0], []).append(key)
        named = set()
        for cause, keys in one_each.items():
            for key in keys:
                pairs = [(c, outcome(operator, c, c.expected[operator.outputs()[0].name] if y is None else y))
                         for c, y in zip(planned, by_key[key], strict=True)]  # fmt: skip
                found = replay.cause(operator, pairs)
                told = [m.key for m in (found, *found.values.values()) if isinstance(m, Message)] if found else []
                own = f"replay.{cause}" in told
                assert own or found is None or found.key in SEEN or cause in replay.LAST, (key, found)
                named |= {cause} if own else set()
    assert len(named) >= 0.7 * len(causes), sorted(causes - named)
    assert all(cause in area("replay") for cause in causes)


def test_results_that_are_off_by_one_factor_have_that_in_common() -> None:
    operator = OPERATORS["gelu"]
    planned = calls(operator, "float32", most=1000)  # NaN and infinities among them
    quarter = [(c, outcome(operator, c, 0.375 * c.expected["y"])) for c in planned]
    found = replay.cause(operator, quarter)
    assert found.key == "replay.factor" and found.values["factor"] == pytest.approx(0.375)
    quarter[0] = (planned[0], outcome(operator, planned[0], 0.5 * planned[0].expected["y"]))
    assert replay.cause(operator, quarter) is None


def test_no_sign_is_lost_where_no_right_element_is_negative() -> None:
    """A softmax's answer is its own absolute value: one row off by a rounding was told of an absolute value."""
    want = np.linspace(0.001, 0.02, 100).reshape(2, 50)
    got = want.copy()
    got[1, ::2] *= 1 - 2.0**-12
    got[1, 1::2] *= 1 + 2.0**-12
    assert factors.of_all([(got, want, "float16")]) is None
    turned = factors.of_all([(np.abs(want - 0.01), want - 0.01, "float16")])
    assert turned is not None and turned.key == "replay.sign-lost"


def test_right_results_and_results_of_no_known_mistake_are_not_explained() -> None:
    operator = OPERATORS["softmax"]
    planned = calls(operator, "float32")
    right = [(c, outcome(operator, c, c.expected["y"])) for c in planned]
    assert replay.cause(operator, right) is None
    rng = np.random.default_rng(5)
    noise = [(c, outcome(operator, c, c.expected["y"] * rng.uniform(0.9, 1.1, c.expected["y"].shape))) for c in planned]
    assert replay.cause(operator, noise) is None


@pytest.mark.slow
def test_a_mistake_that_an_input_contradicts_is_not_named() -> None:
    """No maximum is subtracted, but on one input: whatever the kernel does, it is not that."""
    operator = OPERATORS["softmax"]
    planned = calls(operator, "float32")
    with np.errstate(all="ignore"):
        wrong = [next(m.make() for m in made(operator, c) if m.cause == "softmax-no-max") for c in planned]
    pairs = [(c, outcome(operator, c, y)) for c, y in zip(planned, wrong, strict=True)]
    assert replay.cause(operator, pairs).key == "replay.softmax-no-max"
    n = next(n for n, c in enumerate(planned) if c.case.name.startswith("high"))
    pairs[n] = (planned[n], outcome(operator, planned[n], planned[n].expected["y"]))
    assert replay.cause(operator, pairs) is None


STRIDES = {  # (stride of the reads, stride of the writes) -> the cause
    ("cols", "y"): "x-cols",
    ("x", "cols"): "y-cols",
    ("cols", "cols"): "both-cols",
    ("x", "x"): "y-of-x",
    ("y", "y"): "x-of-y",
    ("y", "x"): "swapped",
    ("x", "y"): None,
}


@pytest.mark.parametrize("pair", STRIDES, ids="-".join)
def test_a_stride_in_the_place_of_another_is_named(pair: tuple[str, str]) -> None:
    operator = OPERATORS["softmax"]
    found = stride_cause(operator, [(c, written(operator, c, *pair)) for c in calls(operator, "float32")])
    assert found == (None if STRIDES[pair] is None else Message(f"replay.stride-{STRIDES[pair]}", found.values))


def test_a_row_stride_taken_for_the_number_of_columns_is_named() -> None:
    """Row 0 begins at the first element under any stride: where it is wrong, too, no row's begin is the cause."""
    operator = OPERATORS["softmax"]
    planned = calls(operator, "float32")
    every = [(c, outcome(operator, c, c.expected["y"] * (1 + any(c.case.gaps.values())))) for c in planned]
    assert stride_cause(operator, every).key == "replay.stride-for-cols"


def written(operator: Operator, call: Call, read: str, write: str) -> CallOutcome:
    """What a kernel leaves in memory that takes rows to lie as far apart as another tensor's, or cols."""
    by_name = {a.name: a for a in call.args if isinstance(a, Buffer)}
    rows, cols = call.inputs["x"].shape if call.inputs["x"].ndim == 2 else (0, 0)
    strides = {p.name: buffers.row_stride(call.case, p) for p in operator.parameters if p.row_stride} | {"cols": cols}
    memory = by_name["y"].memory.copy()
    source = by_name["x"].memory[by_name["x"].offset :].view(np.float32)
    out = memory[by_name["y"].offset :].view(np.float32)
    with np.errstate(all="ignore"):
        for r in range(rows):
            x = source[r * strides[read] :][:cols].astype(np.float64)
            out[r * strides[write] :][:cols] = operator.oracle({"x": x[None]})["y"][0].astype(np.float32)
    return CallOutcome(CallReport(0, "cudaSuccess"), {"x": by_name["x"].memory, "y": memory})

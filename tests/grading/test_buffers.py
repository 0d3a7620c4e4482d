"""The trusted side's half of a call: what is drawn, how it lies in memory, what is noticed in the bytes after it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onekernel.backends.base import Buffer
from onekernel.grading import buffers, coverage
from onekernel.ops import OPERATORS, Operator
from onekernel.ops.base import DTYPES, Case, worst
from support import rules

MOST = 200_000  # elements of a tensor, in the fast tests


def elements(operator: Operator, case: Case) -> int:
    """Of the largest tensor."""
    return max(math.prod(p.dims(case.sizes, case.scalars)) for p in operator.parameters if p.shape)


SMALL = [c for c in OPERATORS["softmax"].cases if c.plain and elements(OPERATORS["softmax"], c) <= MOST]
EVERY = [
    (op, case, dtype)
    for op in OPERATORS.values()
    for case in op.cases
    if case.plain
    for dtype in DTYPES
    if op.name != "dot_product" or dtype == "float32"  # its exercise has one launcher
]


def answered(
    operator: Operator, call: buffers.Call, answer: dict[str, np.ndarray] | None = None
) -> dict[str, np.ndarray]:
    """The buffers after a kernel that writes `answer`, by default the oracle's own, rounded to the element type."""
    after = {a.name: a.memory.copy() for a in call.args if isinstance(a, Buffer)}
    for p in operator.outputs():
        values = (answer or call.expected)[p.name]
        buffer = next(a for a in call.args if isinstance(a, Buffer) and a.name == p.name)
        moved = Buffer(p.name, after[p.name], buffer.offset, buffer.extent, True, buffer.itemsize)
        with np.errstate(over="ignore"):
            rounded = values.astype(DTYPES[call.dtype])
        view = buffers._elements(moved, call.case, p, call.dtype)
        view[...] = rounded.view(view.dtype)
    return after


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda op: op.name)
@pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_rounded_oracle_passes_and_doing_nothing_is_noticed(operator: Operator, large: bool) -> None:
    def wrong(called: tuple[int, str]) -> None:
        case, dtype = mine[called[0]]
        call = buffers.make(operator, "slug", case, dtype, seed=7)
        assert buffers.judge(operator, call, answered(operator, call)) is None
        fault = buffers.judge(operator, call, {k: v.copy() for k, v in call.before.items()})
        if all(call.expected[p.name].size == 0 for p in operator.outputs()):
            assert fault is None
        else:  # what it held before is not what it should hold
            held = any(a.filled for a in call.args if isinstance(a, Buffer) and a.writable)
            assert fault is not None and fault.kind in (("values", "nan") if held else ("unwritten",))

    mine = [(case, dtype) for op, case, dtype in EVERY if op is operator and (elements(op, case) > MOST) == large]
    if not mine:
        pytest.skip("it has no such case")
    cases = [(n, f"{case.name} {dtype}") for n, (case, dtype) in enumerate(mine)]
    rules.each(cases, wrong, "the oracle's answer must pass in every case, and no answer must not")


@pytest.mark.parametrize(
    ("size", "missing", "in_cuda", "in_triton"),
    [
        (31, [30], "one left over is not taken", "one left over is not taken"),
        (31, [28, 29, 30], "leave over: if four are taken at a time", "leave over: if four are taken at a time"),
        (33, [32], "Round the number of blocks up", "No program takes them"),
        (200, range(65, 200), "no thread's index gets there", "No program takes them"),
        (200, range(0, 200, 7), "several threads have the same index", "No program takes them"),
        (200, range(200), "is the store reached", "is the store reached"),
    ],
    ids=["last", "three of a vector", "a block", "from 65", "holes", "all"],
)
def test_what_was_never_written_is_told_in_the_words_of_the_language(
    size: int, missing: Sequence[int], in_cuda: str, in_triton: str
) -> None:
    operator = OPERATORS["vector_add"]
    case = next(c for c in operator.cases if c.plain and c.sizes["n"] == size)
    call = buffers.make(operator, "slug", case, "float32", seed=7)
    after = answered(operator, call)
    (p,) = operator.outputs()
    buffer = next(a for a in call.args if isinstance(a, Buffer) and a.name == p.name)
    view = buffers._elements(Buffer(p.name, after[p.name], buffer.offset, buffer.extent, True, 4), case, p, "float32")
    view[list(missing)] = call.poison[p.name]
    fault = buffers.judge(operator, call, after)
    assert fault is not None and fault.kind == "unwritten"
    for backend, words in (("simulator", in_cuda), ("triton", in_triton)):
        said = coverage.told(call, (), fault, backend, "").text("en")
        assert words in said and (backend == "simulator" or "thread" not in said)


def test_a_tensor_that_is_read_and_written_holds_its_values_and_only_where_they_may_be_read() -> None:
    for case in OPERATORS["gemm"].cases:
        if not case.plain:
            continue
        call = buffers.make(OPERATORS["gemm"], "slug", case, "float32", 7)
        (c,) = [a for a in call.args if isinstance(a, Buffer) and a.name == "c"]
        held = buffers.content(call, OPERATORS["gemm"].outputs()[0], c.memory)
        assert c.filled == bool(case.scalars["beta"])
        assert np.array_equal(held, call.inputs["c"], equal_nan=True) if c.filled else np.isnan(held).all()


@pytest.mark.parametrize("bits", [0x7F800001, 0x7F7FFFFF], ids=["signalling NaN", "the largest number"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_garbage_is_judged_without_a_warning(bits: int) -> None:
    operator = OPERATORS["vector_add"]
    for case in filter(lambda c: c.plain, operator.cases):
        call = buffers.make(operator, "slug", case, "float32", seed=7)
        answer = {"out": np.full(call.expected["out"].shape, bits, np.uint32).view(np.float32)}
        fault = buffers.judge(operator, call, answered(operator, call, answer))
        assert (fault is None) == (call.expected["out"].size == 0)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_an_error_beyond_any_ratio_is_told_without_a_warning() -> None:
    found = worst(np.array([0.0, 3e38]), np.zeros(2), np.zeros(2))
    assert found is not None and found.index == (1,)


@given(
    case=st.sampled_from(SMALL),
    dtype=st.sampled_from(sorted(DTYPES)),
    seed=st.integers(0, 2**32 - 1),
    where=st.floats(0, 1, exclude_max=True),
    bit=st.integers(0, 7),
)
def test_any_flipped_bit_outside_of_the_answer_is_noticed(case, dtype, seed, where, bit) -> None:
    operator = OPERATORS["softmax"]
    call = buffers.make(operator, "slug", case, dtype, seed)
    after = answered(operator, call)
    names = sorted(after)
    name = names[seed % len(names)]
    at = int(where * after[name].size)
    mine = buffers.make(operator, "slug", case, dtype, seed)
    owned = answered(operator, mine)[name] != mine.before[name]  # bytes that the answer changed
    after[name][at] ^= 1 << bit
    fault = buffers.judge(operator, call, after)
    if name == "x":
        assert fault is not None and fault.kind == "input"
    elif not owned[max(0, at - 3) : at + 4].any():
        assert fault is not None


@given(seed=st.integers(0, 2**32 - 1), factor=st.sampled_from([1.001, 0.999, 1.01]))
def test_a_small_relative_error_in_one_element_is_noticed(seed: int, factor: float) -> None:
    operator = OPERATORS["softmax"]
    case = operator.group("peaked")[seed % 4]
    call = buffers.make(operator, "slug", case, "float32", seed)
    y = call.expected["y"].copy()
    at = np.unravel_index(seed % y.size, y.shape)
    y[at] *= factor
    fault = buffers.judge(operator, call, answered(operator, call, {"y": y}))
    assert fault is not None and fault.kind == "values"


def test_the_same_seed_gives_the_same_bytes_and_another_draw_gives_others() -> None:
    operator = OPERATORS["softmax"]
    case = operator.cases[4]
    one, same = (buffers.make(operator, "slug", case, "float32", 5) for _ in range(2))
    other = buffers.make(operator, "slug", case, "float32", 5, draw=1)
    assert np.array_equal(one.before["x"], same.before["x"])
    assert not np.array_equal(one.before["x"], other.before["x"])
    assert one.poison["y"] != other.poison["y"]


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_a_base_pointer_is_off_its_alignment_by_the_shift(dtype: str) -> None:
    operator = OPERATORS["softmax"]
    for case in operator.group("unaligned"):
        if "again" in case.name:  # the first call once more, between those that change one argument of it
            continue
        call = buffers.make(operator, "slug", case, dtype, 1)
        off = {a.name: a.offset % 16 for a in call.args if isinstance(a, Buffer)}
        size = next(a.itemsize for a in call.args if isinstance(a, Buffer))
        assert off == {name: (case.shift + case.apart.get(name, 0)) * size % 16 for name in off}
        rows = [case.sizes["cols"] + gap for gap in case.gaps.values()]
        assert any(off.values()) or any(stride * size % 16 for stride in rows)


@pytest.mark.parametrize("dtype", sorted(DTYPES))
@pytest.mark.parametrize("answer", ["constant", "zeros", "half sum"])
def test_tolerances_refuse_what_looks_close(dtype: str, answer: str) -> None:
    """On plain normal input, where a loose absolute tolerance would let all three pass."""
    operator = OPERATORS["softmax"]
    case = next(c for c in operator.cases if c.name == "normal-1x4097")
    call = buffers.make(operator, "slug", case, dtype, 3)
    y = call.expected["y"]
    if answer == "constant":
        wrong = np.full_like(y, 1 / y.shape[1])
    elif answer == "zeros":
        wrong = np.zeros_like(y)
    else:
        x = call.inputs["x"]
        e = np.exp(x - x.max(axis=1, keepdims=True)).astype(np.float16)
        total = np.float16(0)
        for v in e[0]:
            total = np.float16(total + v)
        wrong = e.astype(np.float64) / float(total)
    assert buffers.judge(operator, call, answered(operator, call, {"y": wrong})) is not None

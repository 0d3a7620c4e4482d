"""Kinds of mistakes, each made here as a kernel makes it, are named: alone, in one path, in one type, and no others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from onekernel.backends.base import Buffer, CallReport
from onekernel.grading import buffers, replay, untold
from onekernel.grading.buffers import Call
from onekernel.grading.replay import tell
from onekernel.grading.replay.base import Mistake
from onekernel.grading.replay.narrowing import nearly
from onekernel.grading.replay.strides import stride_cause, written_cause
from onekernel.messages import Message
from onekernel.ops import OPERATORS
from onekernel.ops.base import DTYPES
from onekernel.sandbox.supervisor import CallOutcome
from support.answers import Change, pairs
from support.corpus import graded
from support.course import ROOT

GEMM = ("shapes", "transposed", "scalars")
Product = Callable[[np.ndarray, np.ndarray], np.ndarray]


def keys(found: Message | None) -> set[str]:
    """The cause, and those within it."""
    inner = found.values.values() if found else ()
    return {m.key.removeprefix("replay.") for m in (found, *inner) if isinstance(m, Message)}


def of_product(product: Product) -> Change:
    """C of a kernel that takes this for A op(B)."""

    def change(call: Call, want: np.ndarray) -> np.ndarray:
        a, b = call.inputs["a"], call.inputs["b"]
        made = call.inputs["alpha"] * product(a, b.T if call.inputs["transpose_b"] else b)
        return np.asarray(made + (call.inputs["beta"] * call.inputs["c"] if call.inputs["beta"] else 0))

    return change


def own_lane(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Lane j writes column j of 8, and shuffles have joined the lanes of its parity alone."""
    out = np.zeros((len(a), b.shape[1]))
    for j in range(b.shape[1]):
        out[:, j] = a[:, j % 2 :: 2] @ b[j % 2 :: 2, j]
    return out


def in_narrow_lanes(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    kind = DTYPES["bfloat16"]
    sums = np.zeros((32, len(a), b.shape[1]), kind)
    for p in range(a.shape[1]):
        sums[p % 32] = (sums[p % 32].astype(np.float32) + np.outer(a[:, p], b[p])).astype(kind)
    return np.asarray(sums.astype(np.float64).sum(axis=0))


def moved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A block of 8 x 32 threads, four rows each: row ty * 4 + r is stored at ty + 8 * r."""
    whole = np.pad(a @ b, [(0, -len(a) % 32), (0, 0)])
    out = np.empty_like(whole)
    for row in range(len(whole)):
        within = row % 32
        out[row - within + within // 4 + within % 4 * 8] = whole[row]
    return out[: len(a)]


def weighted(often: Callable[[np.ndarray, int], np.ndarray]) -> Product:
    return lambda a, b: np.asarray((a * often(np.arange(a.shape[1]), a.shape[1])) @ b)


@pytest.mark.parametrize(
    ("product", "cause"),
    [
        (weighted(lambda at, k: at < k // 128 * 128), "gemm-tail-lost"),
        (weighted(lambda at, k: 1 + ((at % 128 == 0) & (at > 0))), "gemm-part-overlaps"),
        (own_lane, "sum-half-warp"),
        (moved, "gemm-rows-moved"),
        (lambda a, b: moved(b.T, a.T).T, "gemm-columns-moved"),
        (lambda a, b: a @ b[:, np.arange(b.shape[1]) // 32 * 32 + np.arange(b.shape[1]) % 16], "gemm-columns-again"),
        (lambda a, b: a[np.arange(len(a)) // 8 * 8] @ b, "gemm-rows-again"),
        (lambda a, b: a @ b + -a.shape[1] % 32, "gemm-ones-beyond"),
        (in_narrow_lanes, "gemm-narrow-sum"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_of_a_matrix_product(product: Product, cause: str) -> None:
    found = replay.cause(OPERATORS["gemm"], pairs("gemm", (*GEMM, "skinny"), of_product(product)))
    assert cause in keys(found)
    assert found is not None and found.values["apart"] and found.text("es") != found.text("en")


@pytest.mark.parametrize(
    ("of_product", "of_c", "alone"), [("beta", "alpha", "alpha"), ("beta", "1", "1"), ("1", "alpha", "1")]
)
def test_two_scalars_in_the_wrong_places(of_product: str, of_c: str, alone: str) -> None:
    """`alone`: by what the product is multiplied where beta is 0."""

    def change(call: Call, want: np.ndarray) -> np.ndarray:
        scalars = {"1": 1.0, "alpha": call.inputs["alpha"], "beta": call.inputs["beta"]}
        b = call.inputs["b"].T if call.inputs["transpose_b"] else call.inputs["b"]
        product = call.inputs["a"] @ b
        if not call.inputs["beta"]:
            return np.asarray(scalars[alone] * product)
        return np.asarray(scalars[of_product] * product + scalars[of_c] * call.inputs["c"])

    found = replay.cause(OPERATORS["gemm"], pairs("gemm", GEMM, change))
    assert found is not None and (found.key, found.values["product"], found.values["c"]) == (
        "replay.gemm-scalars", of_product, of_c)  # fmt: skip


def test_products_with_a_zero_of_a_that_are_skipped() -> None:
    def change(call: Call, want: np.ndarray) -> np.ndarray:
        b = call.inputs["b"].T if call.inputs["transpose_b"] else call.inputs["b"]
        a = call.inputs["a"]
        terms = np.where(a[:, :, None] == 0, 0, a[:, :, None] * b)
        c = call.inputs["beta"] * call.inputs["c"] if call.inputs["beta"] else 0
        return np.asarray(call.inputs["alpha"] * terms.sum(axis=1) + c)

    ran = pairs("gemm", ("shapes", "special"), change, most=70)
    found = replay.cause(OPERATORS["gemm"], ran, "if (a[i] != 0.0f) sum += a[i] * b[j];")
    assert "gemm-zeros-skipped" in keys(found)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def of_x(made: Callable[[np.ndarray], np.ndarray]) -> Change:
    return lambda call, want: made(call.inputs["x"].astype(np.float32))


def over(x: np.ndarray, often: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(e / (e * often).sum(axis=1, keepdims=True))


def own_half(x: np.ndarray) -> np.ndarray:
    """A warp takes a row, and each half of it divides by its own sum."""
    e, lane = np.exp(x - x.max(axis=1, keepdims=True)), np.arange(x.shape[1]) % 32
    sums = [np.where(lane // 16 == half, e, 0).sum(axis=1, keepdims=True) for half in (0, 1)]
    return np.asarray(e / np.where(lane < 16, *sums))


def by_tile(x: np.ndarray) -> np.ndarray:
    """Tiles of as many rows as 2048 elements hold, with one maximum."""
    rows = 2048 >> (x.shape[1] - 1).bit_length()
    tops = [x[first : first + rows].max() for first in range(0, len(x), rows)]
    e = np.exp(x - np.repeat(tops, rows)[: len(x), None].astype(np.float32))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def registers_short(x: np.ndarray) -> np.ndarray:
    return over(x, np.arange(x.shape[1]) < 224) if x.shape[1] <= 256 else softmax(x)


def unguarded(x: np.ndarray) -> np.ndarray:
    """256 threads whose pairs are joined in a tree: two without an element make NaN."""
    return np.full_like(x, np.nan) if x.shape[1] <= 128 else softmax(x)


@pytest.mark.parametrize(
    ("made", "groups", "cause"),
    [
        (lambda x: over(x, 1 + (np.arange(x.shape[1]) % 128 < 32)), ("shapes",), "sum-first-warp-twice"),
        (own_half, ("shapes",), "softmax-sum-of-lanes"),
        (by_tile, ("shapes", "range"), "softmax-tile-maximum"),
        (registers_short, ("shapes", "lengths", "powers"), "softmax-registers-short"),
        (unguarded, ("shapes",), "softmax-pairs-of-nothing"),
    ],
)
def test_of_a_softmax(made: Callable[[np.ndarray], np.ndarray], groups: tuple[str, ...], cause: str) -> None:
    text = "tl.max(x)" if "tile" in cause else "v += __shfl_xor_sync(~0u, v, d);"
    found = replay.cause(OPERATORS["softmax"], pairs("softmax", groups, of_x(made)), text)
    assert cause in keys(found)


@pytest.mark.parametrize("name", ["rmsnorm", "gelu"])
def test_what_is_rounded_on_its_way_in_float32(name: str) -> None:
    def rounded(call: Call, want: np.ndarray) -> np.ndarray:
        x = call.inputs["x"]
        if name == "gelu":
            return np.asarray(OPERATORS["gelu"].oracle({**call.inputs, "x": x.astype(np.float16).astype(x.dtype)})["y"])
        h = x + call.inputs["residual"]
        mean = (h * h).astype(np.float16).astype(x.dtype).sum(axis=1, keepdims=True) / h.shape[1]
        return np.asarray(h / np.sqrt(mean + call.inputs["eps"]) * call.inputs["weight"])

    groups = ("exact", "tanh") if name == "gelu" else ("shapes", "eps")
    found = replay.cause(OPERATORS[name], pairs(name, groups, rounded))
    assert ("element-narrow" if name == "gelu" else "sum-narrow-term") in keys(found)
    assert found is not None and found.values["type"] == "float16"


def test_a_mistake_in_16_bits_of_the_short_rows_alone() -> None:
    def rounded(call: Call, want: np.ndarray) -> np.ndarray:
        x, w = call.inputs["x"], call.inputs["w"]
        short = x.shape[1] <= 100 and call.dtype != "float32"
        p = softmax(x.astype(np.float64))
        return np.asarray((p.astype(DTYPES[call.dtype]).astype(np.float64) if short else p) * w)

    ran = pairs("softmax_mul", ("shapes",), rounded, ("float32", "float16", "bfloat16"))
    found = replay.cause(OPERATORS["softmax_mul"], ran)
    assert found is not None and found.key == "replay.in-one-path"
    assert found.values["wrong"].values["last"] <= 100 < found.values["right"].values["length"]
    assert found.values["right"].key == "replay.or-more" and "own-type-p" in keys(found)


def test_a_cause_of_short_inputs_is_not_claimed_of_longer_ones_that_it_does_not_explain() -> None:
    """Whole steps of 2048 alone: at 4097 columns that is a limit of 4096, too, at 12,345 it is not."""

    def whole_steps(call: Call, want: np.ndarray) -> np.ndarray:
        x = call.inputs["x"].astype(np.float32)
        cols = x.shape[1]
        return over(x, np.arange(cols) < cols // 2048 * 2048) if cols > 4096 else want

    found = replay.cause(OPERATORS["softmax"], pairs("softmax", ("shapes", "long"), whole_steps, most=13_000))
    assert found is not None and "sum-limited" not in keys(found)
    assert found.key == "replay.in-one-path" and "sum-tail-lost" in keys(found)


def test_one_cause_that_cannot_be_tried_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> np.ndarray:
        raise IndexError("of a mistake's own")

    made = replay.mistakes
    monkeypatch.setattr(replay, "mistakes", lambda o, c: (Mistake("broken", broken), *made(o, c)))
    found = replay.cause(OPERATORS["softmax"], pairs("softmax", ("shapes",), of_x(lambda x: over(x, 0.5 * np.ones(1)))))
    assert found is None or "broken" not in keys(found)
    with untold.collected() as errors:
        half = replay.cause(OPERATORS["softmax"], pairs("softmax", ("shapes",), of_x(lambda x: np.exp(x) / 1)))
    assert "softmax-no-division" in keys(half)
    assert len(errors) == 1 and errors[0].endswith("IndexError: of a mistake's own")


@pytest.mark.parametrize("where", ["mistakes", "bits", "stride_cause", "narrowed"])
def test_an_error_among_the_causes_costs_the_cause_and_no_point(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner reads the verdict; that a cause is missing stands in the result, for whoever writes causes."""

    def after_none(*_: object) -> Iterator[Mistake]:
        raise ZeroDivisionError("while they are built")
        yield

    def at_once(*_: object) -> None:
        raise KeyError("x")

    module = {"mistakes": replay._module("vector_add"), "bits": replay.bits}.get(where, tell)
    monkeypatch.setattr(module, "mistakes" if module is not tell else where, at_once if module is tell else after_none)
    wrong = ROOT / "tests" / "wrong" / "add_in_half.cu"
    result = graded(wrong, "vector_add", "simulator", frozenset({"tails"}))
    codes = {f.code for v in result.verdicts for f in v.failures}
    assert result.status == "failed" and codes and "unjudged" not in codes
    if where != "narrowed":  # which is asked only where nothing else is known
        assert len(result.untold) == 1 and result.to_json()["untold"] == list(result.untold)


@pytest.mark.parametrize("name", ["gemm", "softmax", "rmsnorm", "dot_product"])
def test_every_mistake_can_be_made_of_every_small_input(name: str) -> None:
    """In a grade one that raises is passed over; here it is seen."""
    operator = OPERATORS[name]
    cases = [c for c in operator.cases if c.plain and all(0 < n <= 40 for n in c.sizes.values())][::3]
    with np.errstate(all="ignore"), untold.collected() as errors:
        for case in cases:
            call = buffers.make(operator, "any", case, "float32", seed=3)
            for mistake in replay.mistakes(operator, call):
                assert np.asarray(mistake.make()).shape == call.expected[operator.outputs()[0].name].shape, mistake
    assert errors == []


def test_infinities_of_either_sign_are_compared_in_silence() -> None:
    def beyond(call: Call, want: np.ndarray) -> np.ndarray:
        return np.where(np.isinf(want), want, want * (1 + 1e-4))

    ran = pairs("gelu", ("exact", "special"), beyond)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nearly(replay.given(OPERATORS["gelu"], ran))


def written_apart(call: Call, stride: int) -> CallOutcome:
    """A kernel that writes right rows of c, or y, that far apart, and nothing into gaps or beyond."""
    (name, want), *_ = call.expected.items()
    buffer = next(a for a in call.args if isinstance(a, Buffer) and a.name == name)
    memory, kind = buffer.memory.copy(), DTYPES[call.dtype]
    flat = memory[buffer.offset :][: buffer.extent].view(f"u{kind.itemsize}")
    rows, cols = want.shape
    at = np.arange(rows)[:, None] * stride + np.arange(cols)
    kept = (at < flat.size) & (at % (cols + call.case.gaps.get(name, 0)) < cols)
    flat[at[kept]] = want.astype(kind).view(f"u{kind.itemsize}")[kept]
    after = {a.name: a.memory for a in call.args if isinstance(a, Buffer)} | {name: memory}
    return CallOutcome(CallReport(0, "cudaSuccess"), after)


def test_a_stride_of_another_is_named_where_nothing_is_stored_outside_of_rows() -> None:
    operator = OPERATORS["softmax"]
    cases = [c for g in ("shapes", "strides") for c in operator.group(g) if max(c.sizes.values()) <= 140]
    calls = [buffers.make(operator, "any", case, "float32", seed=11) for case in cases]
    ran = [(c, written_apart(c, c.inputs["x"].shape[1] + c.case.gaps.get("x", 0))) for c in calls]
    found = stride_cause(operator, ran)
    assert found is not None and found.key == "replay.stride-y-of-x"


@pytest.mark.parametrize("of", ["a", "n"])
def test_rows_of_c_that_are_written_by_another_length_are_named(of: str) -> None:
    operator = OPERATORS["gemm"]
    cases = [c for g in ("shapes", "strides", "skinny") for c in operator.group(g) if not c.scalars["beta"]]
    calls = [buffers.make(operator, "any", case, "float32", seed=11) for case in cases]
    lengths = {"a": lambda c: c.inputs["a"].shape[1] + c.case.gaps.get("a", 0), "n": lambda c: c.case.sizes["n"]}
    found = written_cause(operator, [(c, written_apart(c, lengths[of](c))) for c in calls])
    assert found is not None and found.key == f"replay.gemm-ldc-{'lda' if of == 'a' else 'n'}"
    right = [(c, written_apart(c, c.case.sizes["n"] + c.case.gaps.get("c", 0))) for c in calls]
    assert written_cause(operator, right) is None

"""A cause has a control; where none is known, what divides the wrong from the right is said: of results made here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from onekernel.comments import code
from onekernel.grading import buffers, replay
from onekernel.grading.buffers import Call
from onekernel.grading.replay.integers import values_in_integers
from onekernel.grading.replay.narrowing import narrowed, nearly
from onekernel.messages import Message
from onekernel.ops import OPERATORS
from onekernel.ops.base import DTYPES, worst
from onekernel.sandbox.supervisor import CallOutcome
from support.answers import MOST, Change, pairs


def told(name: str, ran: list[tuple[Call, CallOutcome]]) -> Message | None:
    return narrowed(replay.given(OPERATORS[name], ran))


def test_an_integer_is_not_proved_by_zeros_beside_nan() -> None:
    """+infinity minus itself, hidden where two maxima are equal: a maximum cut to an integer leaves the same zeros."""

    def equal_as_one(call: Call, want: np.ndarray) -> np.ndarray:
        x = call.inputs["x"].astype(np.float32)
        top = np.fmax.reduce(x, axis=1, keepdims=True)
        e = np.exp(x - top)
        return np.asarray(e / np.where(x == top, np.float32(1), e).sum(axis=1, keepdims=True))

    ran = pairs("softmax", ("shapes", "range", "special"), equal_as_one)
    found = replay.cause(OPERATORS["softmax"], ran, "const float fa = a.top == top ? 1.0f : expf(a.top - top);")
    assert found is not None and found.key == "replay.softmax-equal-as-one"
    assert found.values["inputs"] > found.values["apart"] >= 1

    def in_an_int(call: Call, want: np.ndarray) -> np.ndarray:
        """Zeros and NaN alone tell nothing of an integer: without the mistake that is about them nothing is named."""
        x = call.inputs["x"].astype(np.float32)
        return np.where(np.isposinf(x).any(axis=1, keepdims=True) & np.isfinite(x), 0, want)

    left = replay.cause(OPERATORS["softmax"], pairs("softmax", ("shapes", "special"), in_an_int), "float top = x[0];")
    assert left is None or left.key not in ("replay.softmax-integer", "replay.sum-integer")


@pytest.mark.parametrize("name", ["softmax", "softmax_mul"])
@pytest.mark.parametrize(
    ("columns", "key"),
    [
        (lambda own, n: [*range(1, n), own], "softmax-max-from-own"),
        (lambda own, n: [*range(n - 1), own], "softmax-max-from-own"),
        (lambda own, n: range(own, n), "softmax-max-part-of-row"),
        (lambda own, n: range(own + 1), "softmax-max-part-of-row"),
    ],
    ids=["without the first", "without the last", "from its own on", "up to its own"],
)
def test_a_maximum_that_begins_at_its_own_element_is_named(
    name: str, columns: Callable[[int, int], Sequence[int]], key: str
) -> None:
    """The level cancels in all rows of numbers; +infinity where only its own thread looks gives 0 in place of NaN."""

    def begun(call: Call, want: np.ndarray) -> np.ndarray:
        x, n = call.inputs["x"].astype(np.float32), want.shape[1]
        y = np.empty_like(x)
        for own in range(n):
            e = np.exp(x - np.fmax.reduce(x[:, [*columns(own, n)]], axis=1, keepdims=True))
            y[:, own] = e[:, own] / e.sum(axis=1)
        return np.asarray(y) * call.inputs.get("w", 1.0)

    ran = pairs(name, ("shapes", "special"), begun, most=130)
    found = replay.cause(OPERATORS[name], ran, "float largest = x_row[col];")
    assert found is not None and found.key == f"replay.{key}"
    assert "+infinity" in found.text("en") and "+infinito" in found.text("es")


@pytest.mark.parametrize("name", ["softmax", "softmax_mul"])
def test_every_single_column_has_its_infinity_and_its_nan(name: str) -> None:
    """Of a row as long as a warp and a little more; of longer ones each seed draws others beside a warp's ends."""
    operator = OPERATORS[name]
    for group, cols in {"special": 37, "long": 12_290}.items():
        seen: dict[bool, set[int]] = {True: set(), False: set()}
        for case in (c for c in operator.group(group) if c.sizes["cols"] == cols):
            for seed in range(1 if cols == 37 else 4):
                x = buffers.make(operator, "any", case, "float32", seed=seed).inputs["x"]
                for is_nan, odd in {True: np.isnan(x), False: np.isposinf(x)}.items():
                    seen[is_nan] |= {int(np.argmax(row)) for row in odd if row.sum() == 1}
        for columns in seen.values():
            assert columns >= set(range(37)) if cols == 37 else len({c % 32 for c in columns} & {31, 0, 1}) == 3


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("const size_t bytes = 0; for (int c = t; c < n; c += 256) y[c] = expf(x[c] - top) / sum;", False),
        ("int64_t row = i / cols; int lane = (int)threadIdx.x % 32; unsigned blocks = (unsigned)rows;", False),
        ("int n = 0; // of x[0]", False),
        ("row = tl.program_id(0).to(tl.int64); x = tl.load(x_ptr + row)", False),
        ("int largest = -1000; for (int j = 0; j < n; j++) if (x[j] > largest) largest = x[j];", True),
        ("long top = 0; top = fmaxf(top, v);", True),
        ("int sum = 0; for (int j = 0; j < n; j++) sum += expf(x[j] - top);", True),
        ("float e = expf((int)value - top);", True),
        ("__shared__ int parts[8];", True),
        ("e = tl.exp((x - top).to(tl.float32)); m = top.to(tl.int32)", True),
    ],
)
def test_a_size_in_an_integer_is_no_value_in_an_integer(text: str, is_so: bool) -> None:
    assert values_in_integers(code(text, ".cu")) is is_so


@pytest.mark.parametrize("text", ["const size_t bytes = 0;", "int blocks = 0, t = threadIdx.x;", "int i; // abs of x"])
def test_a_size_beside_two_equal_maxima_names_no_integer(text: str) -> None:
    """A file whose only integers are sizes was told of an integer, or of one of two mistakes."""

    def as_one(call: Call, want: np.ndarray) -> np.ndarray:
        x = call.inputs["x"].astype(np.float32)
        top = np.fmax.reduce(x, axis=1, keepdims=True)
        e = np.exp(x - top)
        return np.asarray(e / np.where(x == top, np.float32(1), e).sum(axis=1, keepdims=True))

    ran = pairs("softmax", ("shapes", "range", "special"), as_one)
    found = replay.cause(OPERATORS["softmax"], ran, f"{text} float fa = a == top ? 1.0f : expf(a - top);")
    assert found is not None and found.key == "replay.softmax-equal-as-one"


def test_it_is_counted_on_how_many_inputs_the_right_answer_is_another_one() -> None:
    def from_zero(call: Call, want: np.ndarray) -> np.ndarray:
        x = call.inputs["x"].astype(np.float32)
        e = np.exp(x - np.maximum(x.max(axis=1, keepdims=True), 0))
        return np.asarray(e / e.sum(axis=1, keepdims=True))

    ran = pairs("softmax", ("shapes", "range"), from_zero)
    found = replay.cause(OPERATORS["softmax"], ran)
    wrong = sum(not g.right for g in replay.given(OPERATORS["softmax"], ran))
    assert found is not None and "The maximum starts at a number" in found.text("en")
    assert 0 < found.values["apart"] <= wrong < found.values["inputs"]  # smooth and short ones are compared first


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_no_constants_are_fitted_where_float32_is_right(dtype: str) -> None:
    """The rounding of 16 bits is no other constant: told of 0.0447 for 0.044715, a learner looks in the wrong place."""
    rng = np.random.default_rng(3)

    def rounded(call: Call, want: np.ndarray) -> np.ndarray:
        return want * (1 + (call.dtype != "float32") * rng.choice([-1, 1], want.shape) * 2.0**-9)

    ran = pairs("gelu", ("exact", "tanh"), rounded, ("float32", dtype))
    found = replay.cause(OPERATORS["gelu"], ran)
    assert found is None or not found.key.startswith("replay.gelu-")


def test_a_cube_in_16_bits_is_named_and_not_its_constants() -> None:
    """x * x * x of halves rounds twice; float32 shows nothing of it."""

    def cube_of_halves(call: Call, want: np.ndarray) -> np.ndarray:
        if call.dtype == "float32" or not call.inputs["approximate"]:
            return want
        x = call.inputs["x"].astype(DTYPES[call.dtype])
        cube = ((x * x).astype(x.dtype) * x).astype(x.dtype).astype(np.float32)
        wide = x.astype(np.float32)
        u = np.float32(0.7978845608) * (wide + np.float32(0.044715) * cube)
        return np.asarray(np.float32(0.5) * wide * (1 + np.tanh(u)), np.float64)

    ran = pairs("gelu", ("tanh", "range"), cube_of_halves, ("float32", "float16"), most=4000)
    found = replay.cause(OPERATORS["gelu"], ran)
    assert found is not None and found.key == "replay.own-type-cube"
    assert "float32 call" not in found.text("en")  # which an exercise in 16 bits alone does not have


def in_turn(terms: np.ndarray, threads: int, kind: np.dtype) -> np.ndarray:
    """Each row's sum: threads take columns in turn and add in `kind`, then all is added in float."""
    sums = np.zeros((len(terms), threads), kind)
    for first in range(0, terms.shape[1], threads):
        part = terms[:, first : first + threads].astype(kind).astype(np.float32)
        sums[:, : part.shape[1]] = (sums[:, : part.shape[1]].astype(np.float32) + part).astype(kind)
    return sums.astype(np.float64).sum(axis=1, keepdims=True)


def causes(found: Message | None) -> list[tuple[str, object]]:
    """The cause, or the two that these inputs leave, and what each says is narrow."""
    assert found is not None
    told = [m for m in found.values.values() if isinstance(m, Message)] if found.key == "replay.either" else [found]
    return [(m.key, m.values.get("what")) for m in told]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("narrow", "what"),
    [
        ({"mean's h", "squares"}, "h = x + residual, sum(h * h)"),
        ({"h", "normed"}, "h = x + residual, h / root"),
        ({"squares", "normed"}, "sum(h * h), h / root"),
    ],
    ids=lambda given: None if isinstance(given, str) else " and ".join(sorted(given)),
)
def test_several_values_of_an_rmsnorm_in_16_bits_are_named(narrow: set[str], what: str) -> None:
    """Two roundings at once give other numbers than either; both 16-bit types have the same cause."""

    def rounded(call: Call, want: np.ndarray) -> np.ndarray:
        if call.dtype == "float32":
            return want
        kind = np.dtype(DTYPES[call.dtype])
        own = {True: lambda v: v.astype(kind).astype(np.float64), False: np.asarray}
        h = call.inputs["x"] + call.inputs["residual"]
        of_mean = own[bool(narrow & {"h", "mean's h"})](h)
        squares = of_mean**2
        total = in_turn(squares, 32, kind) if "squares" in narrow else squares.sum(axis=1, keepdims=True)
        root = np.sqrt(total / h.shape[1] + call.inputs["eps"])
        numerator = own["h" in narrow](h)
        normed = numerator * own[True](1 / root) if "root" in narrow else numerator / root
        return np.asarray(own["normed" in narrow](normed) * call.inputs["weight"])

    ran = pairs("rmsnorm", ("shapes", "eps"), rounded, ("float32", "float16", "bfloat16"), most=300)
    found = replay.cause(OPERATORS["rmsnorm"], ran)
    assert ("replay.own-type-several", what) in causes(found)


@pytest.mark.slow
@pytest.mark.parametrize(("difference", "scale"), [(True, False), (False, True)])
def test_several_values_of_a_softmax_in_16_bits_are_named(difference: bool, scale: bool) -> None:
    def rounded(call: Call, want: np.ndarray) -> np.ndarray:
        if call.dtype == "float32":
            return want
        kind = np.dtype(DTYPES[call.dtype])
        d = call.inputs["x"] - call.inputs["x"].max(axis=1, keepdims=True)
        e = np.exp((d.astype(kind) if difference else d).astype(np.float32))
        total = in_turn(e, 32, kind)
        return np.asarray(e * (1 / total).astype(kind).astype(np.float64) if scale else e / total)

    ran = pairs("softmax", ("shapes", "range"), rounded, ("float32", "float16", "bfloat16"), most=300)
    found = replay.cause(OPERATORS["softmax"], ran)
    assert ("replay.own-type-several", "x - max, sum" if difference else "sum, 1 / sum") in causes(found)


def test_what_only_16_bits_show_is_told_by_the_types() -> None:
    rng = np.random.default_rng(3)

    def rounded(call: Call, want: np.ndarray) -> np.ndarray:
        return want if call.dtype == "float32" else want * rng.uniform(0.95, 1.05, want.shape)

    groups, types = ("shapes", "eps"), ("float32", "float16", "bfloat16")
    assert told("rmsnorm", pairs("rmsnorm", groups, rounded, types)).key == "replay.only-in-16-bits"
    one = told("rmsnorm", pairs("rmsnorm", groups, lambda c, w: w * (1.3 if c.dtype == "float16" else 1), types))
    assert (one.key, one.values["types"]) == ("replay.only-in-type", "float16")


def spoiled(where: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Change:
    """A result whose rows and columns for which `where` holds are other numbers, of no known mistake."""
    rng = np.random.default_rng(7)

    def change(_call: Call, want: np.ndarray) -> np.ndarray:
        at = where(*np.indices(want.shape))
        return np.where(at, want * rng.uniform(1.5, 3, want.shape), want)

    return change


@pytest.mark.parametrize(
    ("where", "key", "values"),
    [
        (lambda r, c: r >= 64, "replay.only-rows-from", {"first": 64, "last": 63}),
        (lambda r, c: c % 32 >= 8, "replay.only-columns-of-step", {"step": 32, "which": "0-7"}),
        (lambda r, c: c % 4 == 3, "replay.only-columns-of-step", {"step": 4, "which": "0-2"}),
        (lambda r, c: c % 128 != 0, "replay.only-columns-of-thread-0", {"step": 128}),
    ],
)
def test_rows_and_columns_that_are_right_are_named(
    where: Callable[[np.ndarray, np.ndarray], np.ndarray], key: str, values: dict[str, object]
) -> None:
    found = told("softmax", pairs("softmax", ("shapes",), spoiled(where)))
    assert found is not None and found.key == key
    assert values.items() <= found.values.items()


def test_rows_that_hold_minus_infinity_are_named() -> None:
    def lost(call: Call, want: np.ndarray) -> np.ndarray:
        return np.where(np.isneginf(call.inputs["x"]).any(axis=1, keepdims=True), np.nan, want)

    found = told("softmax", pairs("softmax", ("shapes", "special"), lost))
    assert found is not None and "minus-infinity" in found.key


def test_noise_on_all_inputs_is_not_narrowed_down() -> None:
    rng = np.random.default_rng(5)
    noise = pairs("softmax", ("shapes",), lambda c, want: want * rng.uniform(0.5, 1.5, want.shape))
    assert told("softmax", noise) is None
    right = pairs("softmax", ("shapes",), lambda c, want: want)
    assert told("softmax", right) is None and nearly(replay.given(OPERATORS["softmax"], right)) is None


def test_an_approximation_of_ones_own_is_told_as_nearly_right() -> None:
    def polynomial(call: Call, want: np.ndarray) -> np.ndarray:
        x = call.inputs["x"]
        z = np.abs(x) / np.sqrt(2)
        t = 1 / (1 + 0.47047 * z)
        tail = t * (0.3480242 - t * (0.0958798 - t * 0.7478556)) * np.exp(-z * z)
        return np.where(call.inputs["approximate"] == 1, want, 0.5 * x * (1 + np.sign(x) * (1 - tail)))

    ran = pairs("gelu", ("exact",), polynomial)
    assert replay.cause(OPERATORS["gelu"], ran) is None
    found = nearly(replay.given(OPERATORS["gelu"], ran))
    assert found is not None and 0 < found.values["off"] < 1e-4


def test_a_bound_is_told_of_numbers_that_it_hides_and_of_nothing_else() -> None:
    """One number too small is no bound: others lie beyond it, or it stands for too few right answers."""
    add = OPERATORS["vector_add"]

    def lowered(call: Call, want: np.ndarray) -> np.ndarray:
        return np.where(np.arange(want.size) == want.size - 1, want - 0.25 * np.abs(want), want)

    bounds = ("replay.at-most", "replay.at-least")
    for pair in pairs("vector_add", ("tails",), lowered):
        found = replay.cause(add, [pair])
        assert found is None or found.key not in bounds, found

    for end in (0.75, -0.05):
        for bound, key in zip((np.minimum, np.maximum), bounds, strict=True):
            held = pairs("vector_add", ("tails",), lambda call, want, b=bound, e=end: b(want, e))
            found = replay.cause(add, held)
            assert found is not None and found.key == key and found.values["bound"] == pytest.approx(end, rel=1e-6)

    small = pairs("vector_add", ("tails",), lambda call, want: np.minimum(want, 0.5) if want.size > 100 else want)
    assert any((call.expected["out"] > 1).any() for call, _ in small if call.expected["out"].size <= 100)
    found = replay.cause(add, small)
    assert found is None or found.key not in bounds  # right answers of short vectors lie beyond it


def test_a_factor_is_one_of_small_elements_too() -> None:
    def twice(small: float) -> Change:
        return lambda call, want: np.where(np.abs(want) < 1e-3 * np.abs(want).max(), small, 2) * want

    for small, key in {2: "replay.factor", 900: None}.items():
        found = replay.cause(OPERATORS["vector_add"], pairs("vector_add", ("tails",), twice(small)))
        assert (found and found.key) == key


def test_constants_of_a_gelu_are_told_where_all_elements_have_them() -> None:
    """Found from the elements below 0: those above may have another formula, or the input beside it."""

    def bent(above: bool, from_size: int) -> Change:
        def change(call: Call, want: np.ndarray) -> np.ndarray:
            x = call.inputs["x"].astype(np.float64)
            made = x / (1 + np.exp(-1.91 * x))
            return want if x.size < from_size else np.where((x > 0.5) & above, np.tanh(x), made)

        return change

    gelu = OPERATORS["gelu"]
    found = replay.cause(gelu, pairs("gelu", ("exact",), bent(False, 0)))
    assert found is not None and found.key == "replay.gelu-found-sigmoid" and found.values["others"] == 0
    found = replay.cause(gelu, pairs("gelu", ("exact",), bent(False, 300)))
    assert found is not None and found.values["others"] >= 3  # which the sentence counts
    found = replay.cause(gelu, pairs("gelu", ("exact",), bent(True, 0)))
    assert found is None or found.key != "replay.gelu-found-sigmoid"


def test_every_element_is_nan_on_each_wrong_input_or_it_is_not_said() -> None:
    def spoilt(narrow: float) -> Change:
        return lambda call, want: np.full_like(want, np.nan) if want.shape[1] > 8 else want + narrow

    for narrow, key in {np.nan: "replay.softmax-all-nan", 0.1: None}.items():
        found = replay.cause(OPERATORS["softmax"], pairs("softmax", ("shapes",), spoilt(narrow)))
        assert (found and found.key) == key


def test_columns_that_add_up_are_told_of_their_axis() -> None:
    def down(call: Call, want: np.ndarray) -> np.ndarray:
        """Tiles of four rows, reduced along axis 0."""
        x = call.inputs["x"]
        tiles = [x[first : first + 4] for first in range(0, len(x), 4)]
        return np.concatenate([np.exp(t - t.max(axis=0)) / np.exp(t - t.max(axis=0)).sum(axis=0) for t in tiles])

    found = replay.cause(OPERATORS["softmax"], pairs("softmax", ("shapes",), down))
    assert found is not None
    keys = {m.key for m in (found, *found.values.values()) if isinstance(m, Message)}
    assert keys & {"replay.softmax-columns-add-up", "replay.softmax-tile-axis", "replay.softmax-whole-tile"}


def test_a_mistake_of_the_long_rows_path_is_named_with_its_length() -> None:
    def no_rescaling(call: Call, want: np.ndarray) -> np.ndarray:
        x = call.inputs["x"].astype(np.float32)
        if x.shape[1] < 256:
            return want
        tops = np.maximum.accumulate(x, axis=1)
        return np.asarray(np.exp(x - x.max(axis=1, keepdims=True)) / np.exp(x - tops).sum(axis=1, keepdims=True))

    found = replay.cause(OPERATORS["softmax"], pairs("softmax", ("shapes",), no_rescaling))
    assert found is not None and found.key == "replay.in-one-path"
    (wrong, right) = (found.values[name].values for name in ("wrong", "right"))
    assert right["length"] < 256 <= wrong["first"] < wrong["last"] <= MOST
    seen = [call.case.sizes["cols"] for call, _ in pairs("softmax", ("shapes",), no_rescaling)]
    assert wrong["first"] in seen and f"{right['length']} or less are right" in found.text("en")
    assert f"longitudes entre {wrong['first']} y {wrong['last']}" in found.text("es")
    assert "softmax-not-rescaled" in found.values["cause"].key


def test_one_operand_that_stays_in_its_first_tile_is_named() -> None:
    def stays(call: Call, want: np.ndarray) -> np.ndarray:
        a, b = call.inputs["a"], call.inputs["b"]
        b = b.T if call.inputs["transpose_b"] else b
        product = call.inputs["alpha"] * (a[:, np.arange(a.shape[1]) % 16] @ b)
        return np.asarray(product + (call.inputs["beta"] * call.inputs["c"] if call.inputs["beta"] else 0))

    found = replay.cause(OPERATORS["gemm"], pairs("gemm", ("shapes", "transposed", "scalars"), stays))
    assert found is not None and found.key == "replay.gemm-tile-stays" and found.values["name"] == "A"


def test_terms_that_nearly_cancel_do_not_hide_their_mistake() -> None:
    """w in the sum of a softmax: where its signs nearly cancel, a float32's rounding changes all digits."""

    def in_the_sum(call: Call, want: np.ndarray) -> np.ndarray:
        x, w = (call.inputs[n].astype(np.float32) for n in ("x", "w"))
        e = np.exp(x - x.max(axis=1, keepdims=True)) * w
        total = np.zeros((len(x), 1), np.float32)
        for column in range(x.shape[1]):
            total[:, 0] += e[:, column]
        return np.asarray(e / total)

    found = replay.cause(OPERATORS["softmax_mul"], pairs("softmax_mul", ("shapes",), in_the_sum))
    assert found is not None and found.key == "replay.mul-before-sum"


def test_what_infinities_do_to_a_row_is_told_of_each_operator_as_it_is() -> None:
    """Of a mean of squares the finite elements of such a row are 0, of a softmax all are NaN."""

    def spoilt(value: float) -> Change:
        def change(call: Call, want: np.ndarray) -> np.ndarray:
            x = call.inputs["x"].astype(np.float64)
            held = np.isinf(x).any(axis=1) & ~np.isnan(x).any(axis=1)
            return np.where(held[:, None] & (np.isposinf(x).any(axis=1))[:, None], value, want)

        return change

    for name, value, key in (
        ("rmsnorm", np.nan, "only-rows-that-hold-infinity"),
        ("rmsnorm", 3.0, "only-rows-that-hold-infinity"),
        ("softmax", 3.0, "only-rows-that-hold-plus-infinity"),
    ):
        message = told(name, pairs(name, ("special",), spoilt(value)))
        assert message is not None and message.key == f"replay.{key}", name


@pytest.mark.parametrize(
    ("spoil", "key", "english", "spanish"),
    [
        (lambda y: np.full_like(y, np.nan), "nan-all", "All 6 elements are NaN, and none", "Los 6 elementos son NaN"),
        (lambda y: np.where(y > 1, np.nan, y), "nan", "are NaN where they should not be.", "son NaN donde no"),
        (lambda y: np.where(np.isnan(y), 0, y), "nan-lost", "should be NaN and", "ser NaN y no lo"),
        (lambda y: np.where(np.isnan(y), 0, np.nan), "nan-both", ", and 1 should be NaN", "y otro 1 debería"),
    ],
)
def test_which_of_the_two_a_wrong_nan_is(
    spoil: Callable[[np.ndarray], np.ndarray], key: str, english: str, spanish: str
) -> None:
    want = np.array([[1.0, 2.0, 3.0], [4.0, np.nan if key in ("nan-lost", "nan-both") else 5.0, 0.5]])
    found = worst(spoil(want), want, np.zeros_like(want))
    assert found is not None and found.kind == "nan"
    told = buffers._describe("y", found)
    assert told.key == f"grading.{key}" and english in told.text("en") and spanish in told.text("es")

"""What wrong results have in common where no known mistake gives their numbers: types, forms, rows, columns, what rows
hold. Said only where it divides the wrong from the right: what has it is wrong, and what has it not is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

import numpy as np

from onekernel.grading.replay import Given
from onekernel.messages import Message

FEW = 3  # inputs on either side, less than which may be so by chance
FAR = {"float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}  # relative: an element further off is wrong
CANCELLED = 1e-2  # of the largest element: what is below it may be what is left of larger terms
SMALL = 1e-2  # of the largest element, and relative: errors below it everywhere are of something that is nearly right
SHARE = 0.1  # of the elements of wrong inputs, which are off at least a little where all is only nearly right
STEPS = (32, 16, 8, 4, 2, 64, 128, 256)  # after which columns repeat: a warp, a vector, a tile
BLOCKS = (64, 128, 256)  # threads that share a row
LEAST = 4  # wrong rows or columns
NARROW = ("float16", "bfloat16")


def narrowed(every: Sequence[Given]) -> Message | None:
    """The sentence; None where nothing divides them."""
    wrong = [g for g in every if not g.right]
    if not wrong:
        return None
    with np.errstate(all="ignore"):
        found = next(_of_inputs(every), None) or next(_of_elements(every), None)
    return found and Message(found.key, {**found.values, "inputs": len(wrong)})


def _of_inputs(every: Sequence[Given]) -> Iterator[Message]:
    right, wrong = ([g for g in every if g.right is side] for side in (True, False))
    types = {g.call.dtype for g in wrong}
    of_others = sum(g.call.dtype not in types for g in right)
    if types <= {*NARROW} and sum(g.call.dtype == "float32" for g in right) >= FEW:
        values = {"types": " and ".join(sorted(types)), "right": sum(g.call.dtype == "float32" for g in right)}
        yield Message("replay.only-in-16-bits" if types == {*NARROW} else "replay.only-in-type", values)
    elif of_others >= FEW and len(types) == 1:
        yield Message("replay.only-in-type", {"types": types.pop(), "right": of_others})
    for name, test in _TESTS.items():
        apart = [test(g) for g in right]
        if all(map(test, wrong)) and apart.count(False) >= FEW and not any(apart):
            yield Message(f"replay.only-{name}", {"right": apart.count(False)})


def _scalar(name: str, value: float) -> Callable[[Given], bool]:
    return lambda g: name in g.call.inputs and float(g.call.inputs[name]) == value


def _holds(test: Callable[[np.ndarray], np.ndarray]) -> Callable[[Given], bool]:
    return lambda g: any(bool(test(x).any()) for x in g.call.inputs.values() if x.ndim)


_TESTS: Mapping[str, Callable[[Given], bool]] = {
    "turned": _scalar("transpose_b", 1), "not-turned": _scalar("transpose_b", 0),
    "by-tanh": _scalar("approximate", 1), "by-erf": _scalar("approximate", 0),
    "with-beta": lambda g: bool(g.call.inputs.get("beta", 0) != 0),
    "unaligned": lambda g: bool(g.call.case.shift or any(g.call.case.apart.values())),
    "with-nan": _holds(np.isnan), "with-plus-infinity": _holds(np.isposinf), "with-minus-infinity": _holds(np.isneginf),
    "below-zero": _holds(lambda x: x < 0),
}  # fmt: skip


def _of_elements(every: Sequence[Given]) -> Iterator[Message]:
    """Which rows and columns are wrong, the same way on all wrong inputs."""
    wrong = [(g, _off(g)) for g in every if not g.right and g.got.ndim == 2 and g.got.size]
    if not wrong or any(not off.any() for _, off in wrong):
        return
    yield from _of_what_rows_hold(wrong)
    rows = [np.asarray(off.any(axis=1)) for _, off in wrong]
    firsts = {int(np.argmax(of)) for of in rows}
    right = [g for g in every if g.right and g.got.ndim == 2]
    first = min(firsts)
    enough = first >= LEAST and sum(int(of.sum()) for of in rows) >= LEAST
    if len(firsts) == 1 and enough and all(g.got.shape[0] <= first for g in right):
        yield Message("replay.only-rows-from", {"first": first, "last": first - 1})
        return
    columns = [np.asarray(off.any(axis=0)) for _, off in wrong]
    for name, found in {"columns": columns, "rows": rows}.items():
        told = next(((step, which) for step in STEPS if (which := _every(step, found))), None)
        if told and told[1] == "0" and told[0] in BLOCKS and name == "columns" and "k" not in every[0].call.case.sizes:
            yield Message("replay.only-columns-of-thread-0", {"step": told[0]})
            return
        if told:
            yield Message(f"replay.only-{name}-of-step", {"step": told[0], "which": told[1]})
            return


def _every(step: int, found: Sequence[np.ndarray]) -> str:
    """Which of each `step` neighbours are right wherever there are some, as "0 to 7"; "" where these do not divide all:
    all others are wrong, nearly."""
    at = [np.arange(of.size) % step for of in found]
    bad = reduce(np.union1d, (a[of] for a, of in zip(at, found, strict=True)))
    good = np.setdiff1d(np.arange(step), bad)
    telling = [np.isin(a, bad) for a in at]
    wrong, all_of_bad = sum(int(of.sum()) for of in found), sum(int(t.sum()) for t in telling)
    if (
        not good.size
        or not all_of_bad >= LEAST
        or wrong < 0.9 * all_of_bad
        or not any(of.size > step // 2 for of in found)
    ):
        return ""
    seen = sum(int(np.isin(a, good).sum()) for a in at)
    if seen < LEAST or good[-1] - good[0] + 1 != good.size:
        return ""
    return f"{good[0]}" if good.size == 1 else f"{good[0]}-{good[-1]}"


def _rows_of_numbers(y: np.ndarray) -> bool:
    """Whether there are any, and no row is NaN in part."""
    nan = np.isnan(y)
    return bool(not nan.all() and (nan.all(axis=1) | ~nan.any(axis=1)).all())


def _all_nan(y: np.ndarray) -> bool:
    return bool(np.isnan(y).all())


# What of x a row holds, and what the right answer of such a row must be for the sentence to be true of it: softmax and
# a mean of squares differ.
_ROWS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], bool]]] = {
    "begin-minus-infinity": (
        lambda x: np.asarray(np.isneginf(x[:, 0]) & ~np.isneginf(x).all(axis=1)), _rows_of_numbers),
    "hold-minus-infinity": (
        lambda x: np.asarray(np.isneginf(x).any(axis=1) & ~np.isneginf(x).all(axis=1)), _rows_of_numbers),
    "hold-plus-infinity": (lambda x: np.asarray(np.isposinf(x).any(axis=1)), _all_nan),
    "hold-nan": (lambda x: np.asarray(np.isnan(x).any(axis=1)), _all_nan),
    "all-minus-infinity": (lambda x: np.asarray(np.isneginf(x).all(axis=1)), _all_nan),
    "hold-infinity": (
        lambda x: np.asarray(np.isinf(x).any(axis=1)), lambda y: bool((np.isnan(y) | (y == 0)).all())),
}  # fmt: skip


def _of_what_rows_hold(wrong: Sequence[tuple[Given, np.ndarray]]) -> Iterator[Message]:
    """That of each wrong input the wrong rows are just those of which x holds something."""
    for name, (test, answer) in _ROWS.items():
        if all(_holds_in_rows(g, off, test) and answer(g.want[off.any(axis=1)]) for g, off in wrong):
            yield Message(f"replay.only-rows-that-{name}")


def _holds_in_rows(g: Given, off: np.ndarray, test: Callable[[np.ndarray], np.ndarray]) -> bool:
    x = g.call.inputs.get("x")
    if x is None or x.shape != off.shape:
        return False
    rows = off.any(axis=1)
    return bool((rows <= test(x)).all() and rows.any())


def _off(g: Given) -> np.ndarray:
    """Which elements are wrong."""
    got, want = g.got, g.want
    sums = "k" in g.call.case.sizes  # of products of either sign, which may nearly cancel
    largest = np.abs(want[np.isfinite(want)]).max(initial=0.0)
    near = FAR[g.call.dtype] * (np.abs(want) + CANCELLED * sums * largest) + 1e-30
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.asarray(~same & ~(np.abs(got - want) <= near))


def nearly(every: Sequence[Given]) -> Message | None:
    """That all is nearly right: by how much it is off at most, relative to the largest element. Not of a few elements
    that are off where all others are right: those have another formula."""
    fp32 = [g for g in every if g.call.dtype == "float32"]
    worst, errors = 0.0, []
    for g in (g for g in fp32 if not g.right):
        finite = np.isfinite(g.want)
        if not finite.any() or not np.array_equal(finite, np.isfinite(g.got)):
            return None
        size = float(np.abs(g.want[finite]).max(initial=0.0)) or 1.0
        errors.append(np.abs(g.got[finite] - g.want[finite]).ravel() / size)
        worst = max(worst, float(errors[-1].max()))
    if not errors or np.mean(np.concatenate(errors) > worst / 1000) < SHARE:
        return None
    values = {"off": worst, "inputs": sum(not g.right for g in every)}
    return Message("replay.nearly-right", values) if 0 < worst < SMALL else None

"""The mistakes that people make in a GeLU, each made on purpose on the inputs of a case.

Causes are message keys: replay.gelu-NAME. A mistake in one form leaves the other right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from onekernel.grading.replay import gelu_constants
from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.grading.replay.sums import NARROW, STEP
from onekernel.messages import Message
from onekernel.ops.base import Arrays
from onekernel.ops.gelu import CUBIC, erfc, oracle

ENDS = (1, 2, 3, 4, 5, 6, 8, 10, 20, 50, 100)
ROOT = math.sqrt(2 / math.pi)


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """y of shape (n,) under each mistake that this case can show; not yet rounded to the element type."""
    x, by_tanh = case.inputs["x"], bool(case.inputs["approximate"])
    yield Mistake("gelu-always-tanh", lambda: _form(x, True))
    yield Mistake("gelu-always-erf", lambda: _form(x, False))
    yield Mistake("gelu-exchanged", lambda: _form(x, not by_tanh))
    for where, single in _singles(case, x.size).items():
        for name, of_singles in {"tanh": True, "erf": False, "other": not by_tanh}.items():
            mixed = later(lambda s, f: np.where(s, _form(x, f), _form(x, by_tanh)), single, of_singles)
            yield Mistake("gelu-single-form", mixed, variant=(where, name))
    yield Mistake("gelu-sigmoid", lambda: x / (1 + np.exp(-1.702 * x)))
    yield Mistake("gelu-sigmoid", lambda: _form(x, True) if by_tanh else x / (1 + np.exp(-1.702 * x)), variant="exact")
    yield Mistake("gelu-sigmoid", lambda: x / (1 + np.exp(-1.702 * x)) if by_tanh else _form(x, False), variant="tanh")
    yield Mistake("gelu-no-half", lambda: 2 * _form(x, by_tanh))
    for one in (True, False):  # in one of the forms alone
        right = later(_form, x, by_tanh)
        yield Mistake("gelu-no-half", partial(_form_times, x, by_tanh, 2 if by_tanh is one else 1), variant=one)
        zeros = partial(_form_times, x, by_tanh, 0)
        yield Mistake("gelu-zeros", zeros if by_tanh is one else right, variant=one)
    yield Mistake("gelu-zeros", partial(_form_times, x, by_tanh, 0))
    u = ROOT * (x + CUBIC * x**3)
    for cause, t in {"sign": -2 * u, "power-of-two": 2 * u * math.log(2), "size": 2 * np.abs(u), "once": u}.items():
        yield Mistake(f"gelu-tanh-{cause}", later(lambda t: _logistic(x, t) if by_tanh else _form(x, False), t))
    for forms in ((True, False), (True,), (False,)):
        size = later(lambda lost: np.abs(_form(x, by_tanh)) if lost else _form(x, by_tanh), by_tanh in forms)
        yield Mistake("element-absolute", size, {"name": "x"}, forms)
    for kind, narrow in NARROW.items() if case.dtype == "float32" else ():
        rounded = later(lambda n: _form(x.astype(n).astype(np.float64), by_tanh), narrow)
        yield Mistake("element-narrow", rounded, {"name": "x", "type": kind}, step=STEP[kind] / 2)
    yield from _of_other_formulas(x, u, by_tanh)
    yield Mistake("gelu-of-relu", lambda: _form(np.maximum(x, 0), by_tanh))
    yield Mistake("gelu-root-of-x", lambda: _form(x, True) if by_tanh else _form_of(x, x / np.sqrt(2 * x), False))
    for digits in (1.4, 1.41, 1.414, 1.4142, 1.42):
        short = later(lambda d: _form_of(x, x / d, by_tanh), digits)
        yield Mistake("gelu-short-root", short, {"digits": digits})
    for digits in (0.7, 0.71, 0.707, 0.7071, 0.70711, float(np.float16(math.sqrt(0.5)))):
        short = later(lambda d: _form_of(x, x * d, by_tanh), digits)
        yield Mistake("gelu-short-root-times", short, {"digits": digits})
    for form in (True, False):
        yield from _of_another_function(x, u, by_tanh, form)
    yield Mistake("gelu-half-of-x", lambda: _form(x, True) if by_tanh else _form_of(x, x / 2, False))
    for forms in ((True, False), (True,), (False,)):
        less = x / 2 if by_tanh in forms else 0 * x
        yield Mistake("gelu-without-one", later(lambda less: _form(x, by_tanh) - less, less), variant=forms)
    yield Mistake("gelu-cube", lambda: _tanh(x, ROOT, CUBIC * ROOT**2) if by_tanh else _form(x, False))
    for end in (2, 3, 4, 5, 6):
        beyond = later(lambda end: np.where(abs(x) > end, np.maximum(x, 0), _form(x, by_tanh)), end)
        yield Mistake("gelu-relu-beyond", beyond, {"end": end})
    yield from _of_bounds(x, u, by_tanh)
    yield from _of_special_values(x, by_tanh)
    silu = later(lambda: x / (1 + np.exp(-x)))
    yield Mistake("gelu-silu", silu)
    for form in (True, False):
        yield Mistake("gelu-silu", silu if by_tanh is form else later(_form, x, by_tanh), variant=form)
    for cause, argument in {"no-cube": ROOT * x, "cube-outside": ROOT * x + CUBIC * x**3}.items():
        bent = later(lambda u: _logistic(x, 2 * u) if by_tanh else _form(x, False), argument)
        yield Mistake(f"gelu-{cause}", bent)
    half = later(lambda: _form(x, by_tanh) * 2 - 0.5 * x)  # x * (0.5 + erf)
    for forms in ((True, False), (True,), (False,)):
        mine = half if by_tanh in forms else later(_form, x, by_tanh)
        yield Mistake("gelu-half-of-one", mine, variant=forms)
    yield Mistake("gelu-relu", lambda: np.maximum(x, 0))
    yield Mistake("gelu-copy", lambda: x)
    without = later(lambda tanh: _form(x, tanh) / x, by_tanh)
    yield Mistake("gelu-without-x", without)
    for one in (True, False):
        yield Mistake("gelu-without-x", without if by_tanh is one else later(_form, x, by_tanh), variant=one)
    yield Mistake("gelu-tail", lambda: np.where(x < -3, 0, _form(x, by_tanh)))
    yield Mistake("gelu-root-two", lambda: _form(x, True) if by_tanh else _form(x * math.sqrt(2), False) / math.sqrt(2))
    times = partial(_form_of, x, x * math.sqrt(2), by_tanh)
    yield Mistake("gelu-root-two-times", times)
    yield Mistake("gelu-one-minus", lambda: _form(x, True) if by_tanh else x - _form(x, False))
    yield Mistake("gelu-one-minus", lambda: x - _form(x, by_tanh), variant="both")
    large = np.exp(2 * u.astype(np.float32))  # infinity over infinity
    yield Mistake("gelu-tanh-overflow", lambda: np.where(np.isinf(large) & by_tanh, np.nan, _form(x, by_tanh)))
    for constant in (*_misread("044715", "0."), 0.0447, 0.045, 0.04):
        make = later(lambda c: _tanh(x, ROOT, c) if by_tanh else _form(x, False), constant)
        yield Mistake("gelu-cubic", make, variant=constant)
    other_roots = (math.sqrt(math.pi / 2), 2 / math.pi)
    yield Mistake("gelu-root-halved", lambda: _logistic(x, u) if by_tanh else _form(x, False))
    for constant in (*_misread("79788", "0."), 0.8, 0.798, 0.79788, *_short_pi(), *other_roots):
        make = later(lambda c: _tanh(x, c, CUBIC) if by_tanh else _form(x, False), constant)
        yield Mistake("gelu-root", make, variant=constant)
    of_size = later(lambda: _logistic(x, 2 * ROOT * (x + CUBIC * np.abs(x) ** 3)) if by_tanh else _form(x, False))
    yield Mistake("gelu-cube-sign", of_size)
    for kind, narrow in NARROW.items() if case.dtype == "float32" else ():
        stored = later(lambda n: _round(_form(x, by_tanh), n), narrow)
        yield Mistake("sum-narrow-result", stored, {"type": kind}, step=STEP[kind] / 2)
    yield Mistake("gelu-square", lambda: _logistic(x, 2 * ROOT * (x + CUBIC * x * x)) if by_tanh else _form(x, False))
    for kind, narrow in NARROW.items():
        rounded = later(lambda n: _form_of(x, _round(x / math.sqrt(2), n), by_tanh), narrow)
        yield Mistake("gelu-narrow", rounded, {"type": kind}, step=STEP[kind])
        of_tanh = later(lambda n: _logistic(x, 2 * _round(u, n)) if by_tanh else _form(x, False), narrow)
        yield Mistake("gelu-tanh-narrow", of_tanh, {"type": kind}, step=STEP[kind])
    yield from _in_own_type(case, x, u, by_tanh)


def _of_other_formulas(x: np.ndarray, u: np.ndarray, by_tanh: bool) -> Iterator[Mistake]:
    """The right pieces, put together in another way, or those of another approximation."""
    tanh, erf = np.tanh(u), 1 - erfc(x / math.sqrt(2))
    bent = x + CUBIC * x**3
    in_tanh = {
        "gelu-sigmoid-constant": (1.702 * bent, 0.851 * bent, 1.702 * x, 1.702 * u, 0.851 * u),
        "gelu-tanh-of-x": (x,),
        "gelu-cube-alone": (ROOT * CUBIC * x**3, CUBIC * x**3),
        "gelu-cube-minus": (ROOT * (x - CUBIC * x**3),),
        "gelu-cube-power": (ROOT * (x + CUBIC), *(ROOT * (x + CUBIC * x**n) for n in (1, 4, 5))),
        "gelu-cube-bare": (ROOT * (x + x**3),),
    }
    for cause, arguments in in_tanh.items():
        for n, argument in enumerate(arguments):
            made = later(lambda v: _logistic(x, 2 * v) if by_tanh else _form(x, False), argument)
            yield Mistake(cause, made, variant=n)
    forms = {
        "gelu-parenthesis": (0.5 * x + tanh, 0.5 * x + erf),
        "gelu-x-inside": (0.5 * (1 + x * tanh), 0.5 * (1 + x * erf)),
        "gelu-without-half-and-one": (x * tanh, x * erf),
        "gelu-root-outside": (0.5 * x * (1 + ROOT * np.tanh(bent)), None),
        "gelu-root-two-outside": (None, 0.5 * x * (1 + (1 - erfc(x)) / math.sqrt(2))),
        "gelu-erfc-plus": (None, 0.5 * x * (2 - erf)),
        "gelu-tanh-twice": (0.5 * x * (1 + np.tanh(tanh)), None),
        "gelu-erf-twice": (None, 0.5 * x * (2 - erfc(erf))),
        "gelu-erf-of-cubic": (None, 0.5 * x * erfc(-u)),
    }
    for cause, made_of in forms.items():
        mine = made_of[not by_tanh]
        yield from _in_forms(cause, _form(x, by_tanh) if mine is None else mine, x, by_tanh)
    soft = np.log(1 + np.exp(x.astype(np.float32)))  # of a large x that is infinite, as in a kernel
    others = {"softplus": soft, "ELU": np.where(x > 0, x, np.expm1(x)), "Mish": x * np.tanh(soft), "tanh": np.tanh(x),
              "Leaky ReLU": np.where(x > 0, x, 0.01 * x)}  # fmt: skip
    for name, other in others.items():
        yield from _in_forms("gelu-activation", other, x, by_tanh, name=name)


def _in_forms(cause: str, made: np.ndarray, x: np.ndarray, by_tanh: bool, **values: str) -> Iterator[Mistake]:
    """A mistake in both forms, and in one of them, while the other is right."""
    for variant, concerned in {"both": True, "tanh": by_tanh, "erf": not by_tanh}.items():
        said = made if concerned else _form(x, by_tanh)
        yield Mistake(cause, later(lambda said: said, said), values, variant)


def telling(got: np.ndarray, inputs: Arrays) -> bool:
    return gelu_constants.telling(got, inputs["x"])


def otherwise(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Message | None:
    """The constants that the results were computed with, where no known ones give them."""
    return gelu_constants.found(got, dtype, inputs["x"], bool(inputs["approximate"]))


def holds(message: Message, got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> bool:
    """Whether the constants of `otherwise` give all of this result."""
    return gelu_constants.holds(message, got, dtype, inputs["x"], bool(inputs["approximate"]))


def _of_another_function(x: np.ndarray, u: np.ndarray, by_tanh: bool, form: bool) -> Iterator[Mistake]:
    """In one of the forms what is akin to a GeLU, and in the other what is right."""
    slope = ROOT * (1 + 3 * CUBIC * x * x) * (1 - np.tanh(u) ** 2)
    phi, density = 0.5 * erfc(-x / math.sqrt(2)), np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    akin = {
        "derivative": lambda: 0.5 * (1 + np.tanh(u) + x * slope) if form else phi + x * density,
        "density": lambda: x * density,
        "hard-swish": lambda: x * np.clip(x + 3, 0, 6) / 6,
        "tanh-of-erf": lambda: _logistic(x, x * math.sqrt(2)),  # x / 2 * (1 + tanh(x / sqrt(2)))
    }
    if form:
        akin |= {"erf-of-tanh": lambda: 0.5 * x * erfc(-u)}
    else:
        akin |= {"erf-size": lambda: 0.5 * x * erfc(-abs(x) / math.sqrt(2))}
        akin |= {"sigmoid-of-root": lambda: _logistic(x, 2 * ROOT * x)}
    right = later(_form, x, by_tanh)
    for cause, make in akin.items():
        yield Mistake(f"gelu-{cause}", make if by_tanh is form else right, variant=form)


def _of_bounds(x: np.ndarray, u: np.ndarray, by_tanh: bool) -> Iterator[Mistake]:
    """The input, the result, or what tanh and erf take kept within bounds."""
    for end in ENDS:
        for side, (low, high) in {"both": (-end, end), "above": (-np.inf, end), "below": (-end, np.inf)}.items():
            held = np.clip(x, low, high)
            yield Mistake("gelu-clamped", later(_form, held, by_tanh), {"end": end}, side)
            tail = later(lambda v: np.where(x == 0, 0, _form(v, by_tanh) / v * x), np.where(held == 0, 1, held))
            yield Mistake("gelu-factor-clamped", tail, {"end": end}, side)
        if end < 6:  # from there on it is the same as of x
            result = later(lambda end: np.minimum(_form(x, by_tanh), end), end)
            yield Mistake("gelu-result-clamped", result, {"end": end})
        of_tanh = later(lambda end: _logistic(x, 2 * np.clip(u, -end, end)) if by_tanh else _form(x, False), end)
        yield Mistake("gelu-tanh-clamped", of_tanh, {"end": end})
        of_erf = later(lambda end: _form_of(x, np.clip(x / math.sqrt(2), -end, end), by_tanh), end)
        yield Mistake("gelu-erf-clamped", of_erf, {"end": end})


def _of_special_values(x: np.ndarray, by_tanh: bool) -> Iterator[Mistake]:
    """NaN that becomes a number: of x, or of the result, which is NaN at -infinity, too."""
    right = later(_form, x, by_tanh)
    yield Mistake("gelu-nan-hidden", lambda: _form(np.nan_to_num(x, nan=0.0, posinf=np.inf, neginf=-np.inf), by_tanh))
    yield Mistake("gelu-nan-hidden", lambda: np.where(np.isnan(right()), 0, right()), variant="result")
    yield Mistake("gelu-minus-infinity", lambda: np.where(x == -np.inf, 0, right()))
    for name, nan in {"as fmaxf": 0.0, "kept": np.nan}.items():
        held = later(lambda nan: np.where(np.isnan(right()), nan, np.clip(right(), 0, 1)), nan)
        yield Mistake("gelu-saturated", held, variant=name)


def _in_own_type(case: Replayed, x: np.ndarray, u: np.ndarray, by_tanh: bool) -> Iterator[Mistake]:
    """A step between in the tensors' own type."""
    exact, erf = later(_form, x, by_tanh), x / math.sqrt(2)
    yield Mistake("own-type-argument", lambda: _form_of(x, case.own(erf), by_tanh), variant="erf", step=case.step)
    in_tanh = later(lambda v: _logistic(x, 2 * v()) if by_tanh else _form(x, False), lambda: case.own(u))
    yield Mistake("own-type-argument", in_tanh, variant="tanh", step=case.step)
    both = in_tanh if by_tanh else later(lambda: _form_of(x, case.own(erf), False))
    yield Mistake("own-type-argument", both, variant="both", step=case.step)
    cube = later(lambda: _logistic(x, 2 * ROOT * (x + CUBIC * case.own(x**3))) if by_tanh else _form(x, False))
    yield Mistake("own-type-argument", cube, variant="cube", step=case.step)
    cubes = {"cube in two": case.own(case.own(x * x) * x)}  # in the order of x * x * x, 0.044715 * x * x * x, ...
    cubes |= {"cube and constant": case.own(case.own(case.own(case.own(CUBIC) * x) * x) * x) / CUBIC}
    cubes |= {"cube, then constant": case.own(case.own(CUBIC) * cubes["cube in two"]) / CUBIC}
    for variant, narrow_cube in cubes.items():
        bent = later(lambda c: _logistic(x, 2 * ROOT * (x + CUBIC * c)) if by_tanh else _form(x, False), narrow_cube)
        yield Mistake("own-type-cube", bent, variant=variant, step=case.step)
    inner = case.own(x + case.own(case.own(CUBIC) * cubes["cube in two"]))
    for variant, in_type in {"sum": inner * ROOT, "all": case.own(case.own(ROOT) * inner)}.items():
        whole = later(lambda v: _logistic(x, 2 * v) if by_tanh else _form(x, False), in_type)
        yield Mistake("own-type-argument", whole, variant=("tanh", variant), step=case.step)
    near = np.where(x == 0, 1.0, np.clip(x, -40, 40))  # further out the factor is 0 or 2
    part = later(lambda: np.where(x == 0, 0, 2 * _form(near, by_tanh) / near - 1).astype(np.float32))
    factor = later(lambda: 0.5 * x * case.own(np.float32(1) + part()))
    for form in ("erf", "tanh", "both"):
        concerned = form == "both" or by_tanh is (form == "tanh")
        yield Mistake("own-type-factor", factor if concerned else exact, variant=form, step=case.step)


def _singles(case: Replayed, n: int) -> dict[str, np.ndarray]:
    """Which elements lie in no vector of 16 bytes: behind the last one, and before the first of y or of x, if it
    begins there."""
    at, per = np.arange(n), case.per_vector
    heads = {name: min(-case.begins.get(name, 0) % per, n) for name in ("y", "x")} | {"none": 0}
    return {name: (at < head) | (at >= head + (n - head) // per * per) for name, head in heads.items()}


def _form(x: np.ndarray, by_tanh: bool) -> np.ndarray:
    return oracle({"x": x, "approximate": np.array(float(by_tanh))})["y"]


def _form_times(x: np.ndarray, by_tanh: bool, factor: int) -> np.ndarray:
    return factor * (_form(x, by_tanh) if factor else x)  # 0 * infinity is NaN


def _form_of(x: np.ndarray, argument: np.ndarray, by_tanh: bool) -> np.ndarray:
    """The exact form with another argument of erf; the form by tanh as it should be."""
    if by_tanh:
        return _form(x, True)
    return np.asarray(0.5 * erfc(-argument) * x)


def _tanh(x: np.ndarray, root: float, cubic: float) -> np.ndarray:
    return _logistic(x, 2 * root * (x + cubic * x**3))


def _logistic(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.asarray(x / (1 + np.exp(-t)))


def _round(values: np.ndarray, narrow: np.dtype) -> np.ndarray:
    return values.astype(narrow).astype(np.float64)


def _short_pi() -> Iterator[float]:
    """The root of 2 / pi, with too few digits of pi."""
    yield from (math.sqrt(2 / pi) for pi in (3, 3.1, 3.14, 3.142, 3.15))


def _misread(digits: str, before: str) -> Iterator[float]:
    """Numbers that differ from `before` + `digits` by one digit: another one, two exchanged, one lost, one doubled."""
    found = set()
    for i, old in enumerate(digits):
        found |= {digits[:i] + new + digits[i + 1 :] for new in "0123456789"}
        found |= {digits[:i] + digits[i + 1 :], digits[:i] + old + digits[i:]}
        found |= {digits[:i] + digits[i + 1 : i + 2] + old + digits[i + 2 :]}
    yield from sorted(float(before + text) for text in found - {digits, digits + "0"} if text)

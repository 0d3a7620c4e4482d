"""GELUs done wrong, each on purpose: other functions, other formulas, other constants."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .mistake import Mistake, formulas

ROOT, CUBIC = math.sqrt(2.0 / math.pi), 0.044715
U = "sqrt(2 / pi) * (h + 0.044715 * h * h * h)"


def gelu(h: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    erf = np.vectorize(math.erf, otypes=[float])
    yield "gelu-variant", {"got": "x * Phi(x) = F.gelu(x)"}, 0.5 * h * (1.0 + erf(h / math.sqrt(2.0)))
    yield "gelu-variant", {"got": "x * sigmoid(1.702 x)"}, h / (1.0 + np.exp(-1.702 * h))
    yield "gelu-variant", {"got": "SiLU, x * sigmoid(x)"}, h / (1.0 + np.exp(-h))
    yield "gelu-variant", {"got": "ReLU"}, np.maximum(h, 0.0)
    yield "no-gelu", {}, h
    cube = h * h * h
    t = np.tanh(ROOT * (h + CUBIC * cube))
    outer = {  # u stands for what tanh takes
        "h * (1 + tanh(u))": h * (1.0 + t),
        "0.5 * h * tanh(u)": 0.5 * h * t,
        "0.5 * h * (1 - tanh(u))": 0.5 * h * (1.0 - t),
        "0.5 * (1 + tanh(u))": 0.5 * (1.0 + t),
        "0.5 * h * 1 + tanh(u)": 0.5 * h + t,
        "0.5 * h * (1 + tanh(tanh(u)))": 0.5 * h * (1.0 + np.tanh(t)),
        "0.5 * (h + tanh(u))": 0.5 * (h + t),
        "h * tanh(u)": h * t,
        "tanh(u)": t,
    }
    yield from formulas("0.5 * h * (1 + tanh(u))", outer.items())
    inner = {
        "sqrt(2 / pi) * h + 0.044715 * h * h * h": ROOT * h + CUBIC * cube,
        "sqrt(2 / pi) * (h + 0.044715 * h * h)": ROOT * (h + CUBIC * h * h),
        "sqrt(2 / pi) * (h - 0.044715 * h * h * h)": ROOT * (h - CUBIC * cube),
        "sqrt(2 / pi) * (h + (0.044715 * h) ** 3)": ROOT * (h + (CUBIC * h) ** 3),
        "sqrt(2 / pi) * h": ROOT * h,
        "h + 0.044715 * h * h * h": h + CUBIC * cube,
        "2 / pi * (h + 0.044715 * h * h * h)": 2.0 / math.pi * (h + CUBIC * cube),
        "sqrt(2 * pi) * (h + 0.044715 * h * h * h)": math.sqrt(2.0 * math.pi) * (h + CUBIC * cube),
        "sqrt(pi / 2) * (h + 0.044715 * h * h * h)": math.sqrt(math.pi / 2.0) * (h + CUBIC * cube),
        "sqrt(1 / 2) * (h + 0.044715 * h * h * h)": math.sqrt(0.5) * (h + CUBIC * cube),
    }
    whole = "0.5 * h * (1 + tanh({}))"
    written = ((whole.format(u), 0.5 * h * (1.0 + np.tanh(made))) for u, made in inner.items())
    yield from formulas(whole.format(U), written)
    yield from _constants(h, found)


def _constants(h: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    """The two constants that `found` was made with, solved for where tanh is neither flat nor the identity: there
    atanh(2 y / h - 1) / h is root + root * cubic * h * h, a straight line in h * h."""
    with np.errstate(all="ignore"):
        slope = np.arctanh(2.0 * found / h - 1.0) / h
    good = np.isfinite(slope) & (np.abs(h) > 0.2) & (np.abs(h) < 2.5)
    if good.sum() < 2:
        return
    cubic, root = np.polyfit((h * h)[good], slope[good], 1)
    for digits in range(3, 11):  # as few digits as give the numbers
        a, b = float(f"{root:.{digits}g}"), float(f"{cubic / root:.{digits}g}")
        for one, other in ((ROOT, b), (a, CUBIC), (a, b)):
            made = 0.5 * h * (1.0 + np.tanh(one * (h + other * h * h * h)))
            yield "gelu-constants", {"root": f"{one:.10g}", "cubic": f"{other:.10g}", "want": U}, made

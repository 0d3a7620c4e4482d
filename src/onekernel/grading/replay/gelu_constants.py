"""Which constants a GeLU was computed with, found from its results: any that nobody has thought of.

Where tanh's argument is a polynomial r * x + q * x^3, or erf's is k * x, the results tell r, q and k. Causes are
message keys: replay.gelu-found-NAME.
"""

from __future__ import annotations

import numpy as np

from onekernel.messages import Message
from onekernel.ops.gelu import erfc

# Of x: near 0 the results hardly depend on the constants, and further out nothing is left of them. Below 0 alone, where
# the result is as small as what x is multiplied by.
FROM, TO = -3.0, -0.25
LEAST, MOST = 1e-3, 0.6  # of what x is multiplied by, likewise
POINTS = 4  # at least
NEAR = {"float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}
EVERYWHERE = 10  # times as near, relative to x, all finite results must be to what the rounded constants give
BISECTIONS = 60


def telling(got: np.ndarray, x: np.ndarray) -> bool:
    """Whether there are enough results that depend on the constants."""
    return bool(_used(got, x).sum() >= POINTS)


def found(got: np.ndarray, dtype: str, x: np.ndarray, by_tanh: bool) -> Message | None:
    """The constants that give these results; None where no form of these does."""
    at = _used(got, x)
    x, ratio = x[at], got[at] / x[at]
    argument = np.log(ratio / (1 - ratio)) / 2  # 0.5 * (1 + tanh(u)) is 1 / (1 + exp(-2 u))
    (root, cubic), *_ = np.linalg.lstsq(np.stack([np.ones_like(x), x * x], 1), argument / x, rcond=None)
    no_cubic = abs(cubic) < NEAR[dtype] * abs(root)
    made = 1 / (1 + np.exp(-2 * (root * x + (0 if no_cubic else cubic) * x**3)))
    if np.allclose(made, ratio, NEAR[dtype], 0):
        if no_cubic:
            return Message("replay.gelu-found-sigmoid", {"factor": f"{2 * root:.4g}"})
        if by_tanh and root:
            return Message("replay.gelu-found-tanh", {"root": f"{root:.4g}", "cubic": f"{cubic / root:.3g}"})
    if by_tanh:
        return None
    factors = _inverse(ratio) / x
    factor = float(np.median(factors))
    if np.allclose(0.5 * erfc(-factor * x), ratio, NEAR[dtype], 0):
        return Message("replay.gelu-found-erf", {"factor": f"{factor:.4g}"})
    return None


def holds(message: Message, got: np.ndarray, dtype: str, x: np.ndarray, by_tanh: bool) -> bool:
    """Whether the constants that a sentence names give these results, everywhere where x is a number; so it is, too,
    where the sentence is about the other form alone."""
    values = {name: float(value) for name, value in message.values.items() if name in ("factor", "root", "cubic")}
    kind = message.key.removeprefix("replay.gelu-found-")
    if kind == ("erf" if by_tanh else "tanh"):
        return True
    there = np.isfinite(x)
    got, x = got[there], x[there]
    if kind == "erf":
        ratio = 0.5 * erfc(-values["factor"] * x)
    elif kind == "tanh":
        ratio = 1 / (1 + np.exp(-2 * values["root"] * (x + values["cubic"] * x**3)))
    else:
        ratio = 1 / (1 + np.exp(-values["factor"] * x))
    return bool((np.abs(got - x * ratio) <= EVERYWHERE * NEAR[dtype] * np.abs(x) + 1e-30).all())


def _used(got: np.ndarray, x: np.ndarray) -> np.ndarray:
    ratio = np.divide(got, x, out=np.zeros_like(got), where=x != 0)
    return np.asarray((x > FROM) & (x < TO) & (ratio > LEAST) & (ratio < MOST))


def _inverse(ratio: np.ndarray) -> np.ndarray:
    """z of which 0.5 * (1 + erf(z)) is the ratio."""
    low, high = np.full_like(ratio, -6.0), np.full_like(ratio, 6.0)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        below = 0.5 * erfc(-middle) < ratio
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)

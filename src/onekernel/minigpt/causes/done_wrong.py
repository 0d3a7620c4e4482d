"""Parts of a transformer done wrong, each on purpose: norms, attention, GELU.

A norm: the formula, the axis, the epsilon, what it was given. Attention: the split into heads, the scale, the mask, the
softmax, the merge. GELU: other functions, other formulas, other constants.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from ..config import Config
from ..model import MiniGPT, Native

Mistake = tuple[str, Mapping[str, object], np.ndarray]
"""A cause (minigpt.cause-NAME), the values of its message, the tensor that it gives."""
Trace = Mapping[str, np.ndarray]
SCALED = "centred / sqrt(variance + epsilon)"
AXES: tuple[int | None, ...] = (-1, -2, 0, None)  # the right one first
ROOT, CUBIC = math.sqrt(2.0 / math.pi), 0.044715
U = "sqrt(2 / pi) * (h + 0.044715 * h * h * h)"


def formulas(want: str, written: Iterable[tuple[str, np.ndarray]]) -> Iterator[Mistake]:
    """Formulas that somebody may have written in place of `want`, each with what it gives."""
    for got, made in written:
        yield "formula", {"got": got, "want": want}, made


def factor(ours: np.ndarray, found: np.ndarray) -> float:
    """How many times `ours` the array `found` is, read where ours is largest; 1 where that is no number."""
    finite = np.where(np.isfinite(ours), np.abs(ours), 0.0)
    at = np.unravel_index(np.argmax(finite), ours.shape)
    times = float(found[at] / ours[at]) if finite[at] > 0 else 1.0
    return times if np.isfinite(times) else 1.0


def norm(config: Config, w: Trace, name: str, x: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    """What the norm `name` gives for x, done wrong in each known way."""
    gain, bias, centred = w[f"{name}.gain"], w[f"{name}.bias"], x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    root = np.sqrt(variance + config.epsilon)
    right = centred / root
    yield "epsilon-place", {}, centred / (np.sqrt(variance) + config.epsilon) * gain + bias
    yield "epsilon-added", {}, (centred / np.sqrt(variance) + config.epsilon) * gain + bias
    unbiased = variance * (x.shape[-1] / (x.shape[-1] - 1))
    yield "unbiased-variance", {}, centred / np.sqrt(unbiased + config.epsilon) * gain + bias
    yield "no-gain", {}, right + bias
    yield "no-bias", {}, right * gain
    yield "no-gain", {}, right
    yield "not-centred", {}, x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + config.epsilon) * gain + bias
    yield "norm-skipped", {}, x
    squares, summed = (x * x).mean(axis=-1, keepdims=True), variance * x.shape[-1]
    scaled = {  # what is multiplied by gain and takes bias
        "centred / (variance + epsilon)": centred / (variance + config.epsilon),
        "centred * sqrt(variance + epsilon)": centred * root,
        "x / sqrt(variance + epsilon)": x / root,
        "centred / sqrt(mean(x * x) + epsilon)": centred / np.sqrt(squares + config.epsilon),
        "centred / sqrt(sum(centred * centred) + epsilon)": centred / np.sqrt(summed + config.epsilon),
        "centred / sqrt(epsilon)": centred / math.sqrt(config.epsilon),
        "centred": centred,
    }
    written = {f"{told} * gain + bias": made * gain + bias for told, made in scaled.items()}
    written |= {
        f"({SCALED} + bias) * gain": (right + bias) * gain,
        f"{SCALED} * bias + gain": right * bias + gain,
        f"{SCALED} * (1 + gain) + bias": right * (1.0 + gain) + bias,
        f"{SCALED} * gain - bias": right * gain - bias,
    }
    yield from formulas(f"{SCALED} * gain + bias", written.items())
    yield from _other_epsilon(config, w, name, x, found)
    yield from _other_axis(config, gain, bias, x)
    made = MiniGPT(config, w)
    for other in (key.removesuffix(".gain") for key in w if key.endswith(".gain")):
        if other != name:
            yield "other-weights", {"other": other}, made.layer_norm(x, other, unseen)


def given(config: Config, w: Trace, name: str, ours: Trace) -> Iterator[Mistake]:
    """What the norm gives for another tensor than its own: one from before, or a block's input and output added."""
    made = MiniGPT(config, w)
    stream = ["embedding", *(f"blocks.{n}" for n in range(config.blocks))]
    here = stream.index(name.rsplit(".", 1)[0]) - 1 if name.startswith("blocks.") else len(stream) - 1
    for other in stream[:here]:
        yield "other-input", {"other": other, "input": stream[here]}, made.layer_norm(ours[other], name, unseen)
    if here > 0:
        both = ours[stream[here]] + ours[stream[here - 1]]
        yield "block-added", {"block": stream[here]}, made.layer_norm(both, name, unseen)


def unseen(name: str, x: np.ndarray) -> None:
    """Takes a step of the forward pass and keeps nothing."""


def _other_axis(config: Config, gain: np.ndarray, bias: np.ndarray, x: np.ndarray) -> Iterator[Mistake]:
    for one, other in itertools.product(AXES, AXES):
        if (one, other) != (-1, -1):
            centred = x - x.mean(axis=one, keepdims=True)
            variance = (centred * centred).mean(axis=other, keepdims=True)
            yield "norm-axis", {}, centred / np.sqrt(variance + config.epsilon) * gain + bias


def _other_epsilon(config: Config, w: Trace, name: str, x: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    """The epsilon that `found` was made with, solved for in its row of least variance, where it weighs most."""
    gain, bias, centred = w[f"{name}.gain"], w[f"{name}.bias"], x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    least = np.unravel_index(np.argmin(np.where(variance > 0, variance, np.inf)), variance.shape)[:-1]
    scaled = centred[least] * gain
    root = (scaled @ scaled) / (scaled @ (found[least] - bias))  # the y - bias of that row are `scaled` over this
    solved = float(root * root - variance[least][0])
    if not math.isfinite(solved) or root <= 0:
        return
    for epsilon in (0.0, *(float(f"{solved:.{digits}e}") for digits in range(6))):  # as few digits as give the numbers
        with np.errstate(invalid="ignore", divide="ignore"):
            made = centred / np.sqrt(variance + epsilon) * gain + bias
        yield "epsilon", {"got": epsilon, "want": config.epsilon}, made


def _splits(config: Config, qkv: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """(cause, (q, k, v)) for each way to cut (B, T, 3 D) into heads; the right one first, with an empty cause."""
    batch, length, _ = qkv.shape
    heads, width = config.heads, config.head_width
    yield "", qkv.reshape(batch, length, 3, heads, width).transpose(2, 0, 3, 1, 4)
    yield "head-order", qkv.reshape(batch, length, 3, width, heads).transpose(2, 0, 4, 1, 3)
    yield "head-order", qkv.reshape(batch, length, heads, 3, width).transpose(3, 0, 2, 1, 4)
    yield "head-order", qkv.reshape(batch, length, heads, width, 3).transpose(4, 0, 2, 1, 3)
    yield "head-order", qkv.reshape(3, batch, length, heads, width).transpose(0, 1, 3, 2, 4)
    thirds = np.stack(np.split(qkv, 3, axis=-1))
    yield "head-reshape", thirds.reshape(3, batch, heads, length, width)


def scores(config: Config, qkv: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    length, width = qkv.shape[1], config.head_width
    row, column = np.arange(length)[:, None], np.arange(length)[None, :]
    later = column > row
    q, k, v = next(_splits(config, qkv))[1]
    products = q @ k.swapaxes(-1, -2)
    right = products / math.sqrt(width)

    def masked(scores: np.ndarray, where: np.ndarray = later) -> np.ndarray:
        return np.where(where, -np.inf, scores)

    for divisor in (1.0, width, math.sqrt(config.width), config.width, 1.0 / math.sqrt(width), math.sqrt(config.heads)):
        yield "scaling", {"head_width": width}, masked(products / divisor)
    yield "scaling", {"head_width": width}, masked(products * factor(masked(products), found))
    yield "softmax-axis", {}, masked(right).swapaxes(-1, -2)
    yield "no-mask", {}, right
    yield "mask-diagonal", {}, masked(right, column >= row)
    yield "mask-shifted", {}, masked(right, column > row + 1)
    yield "mask-transposed", {}, masked(right, column < row)
    yield "mask-inverted", {}, masked(right, column <= row)
    yield "mask-zero", {}, np.where(later, 0.0, right)
    yield "mask-small", {}, np.where(later, -1.0, right)
    for seen in (-np.inf, np.nan):  # 0 times infinity, where a position may see
        yield "mask-nan", {}, np.where(later, seen, np.nan) + 0.0 * right
    for cause, (a, b, _) in _splits(config, qkv):
        if cause:
            yield cause, {}, masked(a @ b.swapaxes(-1, -2) / math.sqrt(width))
    for a, b in ((k, q), (k, v), (q, v), (v, k), (v, q)):
        yield "qkv-order", {}, masked(a @ b.swapaxes(-1, -2) / math.sqrt(width))
    for name, x in (("q", q), ("k", k), ("v", v)):
        yield from formulas("q @ k^T", [(f"{name} @ {name}^T", masked(x @ x.swapaxes(-1, -2) / math.sqrt(width)))])


def mixed(config: Config, qkv: np.ndarray, weights: np.ndarray) -> Iterator[Mistake]:
    batch, length, width = qkv.shape[0], qkv.shape[1], config.width
    q, k, v = next(_splits(config, qkv))[1]

    def merged(x: np.ndarray) -> np.ndarray:
        return x.swapaxes(1, 2).reshape(batch, length, width)

    yield "head-merge", {}, (weights @ v).reshape(batch, length, width)
    yield "head-merge", {}, (weights @ v).transpose(0, 2, 3, 1).reshape(batch, length, width)
    for cause, parts in _splits(config, qkv):
        if cause:
            yield cause, {}, merged(weights @ parts[2])
    yield "qkv-order", {}, merged(weights @ k)
    yield "qkv-order", {}, merged(weights @ q)
    yield "softmax-axis", {}, merged(weights.swapaxes(-1, -2) @ v)
    twice = Native().softmax(weights)
    written = {
        "softmax(softmax(scores)) @ v": twice @ v,
        "tril(softmax(softmax(scores))) @ v": np.tril(twice) @ v,
        "(softmax(scores) @ v + v)": weights @ v + v,
        "v": v,
    }
    yield from formulas("softmax(scores) @ v", ((told, merged(made)) for told, made in written.items()))


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

"""Layer norms done wrong, each on purpose: the formula, the axis, the epsilon, what it was given."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from ..config import Config
from ..model import MiniGPT
from .mistake import Mistake, Trace, formulas

SCALED = "centred / sqrt(variance + epsilon)"
AXES: tuple[int | None, ...] = (-1, -2, 0, None)  # the right one first


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

"""The mistakes that people make when they port a transformer, each made on purpose.

`mistakes` gives, for one tensor of the trace, what that tensor would be if its last step were done wrong in each known
way and everything before it right. Causes are message keys: minigpt.cause-NAME. Every one has a mutant in
tests/unit/test_minigpt_debugger.py that makes it for real.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from .config import Config
from .model import MiniGPT, Native

Mistake = tuple[str, Mapping[str, object], np.ndarray]
Trace = Mapping[str, np.ndarray]
HIDDEN = -1e4  # a masked score at or below this is as good as -inf: its weight is 0


def hidden_scores(name: str, x: np.ndarray) -> np.ndarray:
    """Scores with every masked value as -inf, whichever large negative number stands there; other tensors as is."""
    return np.where(x <= HIDDEN, -np.inf, x) if name.endswith(".scores") else x


def mistakes(
    name: str, config: Config, weights: Trace, tokens: np.ndarray, ours: Trace, found: np.ndarray
) -> Iterator[Mistake]:
    """(cause, values for its message, the tensor that it gives) for the tensor `name`, from the inputs in `ours`.

    `found` is the port's tensor, of the right shape: an epsilon may be any number, and is solved for from it.
    """
    block = name.removeprefix("blocks.").split(".")[0]
    here = f"blocks.{block}"
    stream = _stream_before(here, ours)
    last = name.rsplit(".", 1)[-1]
    if name == "embedding":
        yield from _embedding(config, weights, tokens)
    elif last == "logits":
        yield "norm-skipped", {}, ours[f"blocks.{config.blocks - 1}"] @ weights["token_embedding"].T
    elif last in ("norm1", "norm2", "norm"):
        final = ours[f"blocks.{config.blocks - 1}"]
        normed = {"norm1": stream, "norm2": ours.get(f"{here}.middle", final), "norm": final}[last]
        yield from _norm(config, weights, name, normed)
        if last == "norm1":
            made = MiniGPT(config, weights)
            for late in _branched(made.attention, f"{here}.attention", stream):
                yield "post-norm", {}, made.layer_norm(late, name, _unseen)
        yield from _other_epsilon(config, weights, name, normed, found)
    elif last in ("qkv", "project", "up", "down"):
        before = {"qkv": "norm1", "project": "attention.mixed", "up": "norm2", "down": "mlp.gelu"}[last]
        yield from _linear(weights, name, ours[f"{here}.{before}"])
    elif last == "scores":
        yield from _scores(config, ours[f"{here}.attention.qkv"])
    elif last == "weights":
        scores = ours[f"{here}.attention.scores"]
        yield "softmax-axis", {}, Native().softmax(scores.swapaxes(-1, -2)).swapaxes(-1, -2)
        yield "no-softmax", {}, scores
    elif last == "mixed":
        yield from _mixed(config, ours[f"{here}.attention.qkv"], ours[f"{here}.attention.weights"])
    elif last == "gelu":
        yield from _gelu(ours[f"{here}.mlp.up"])
    elif last == "middle":
        middle = stream + ours[f"{here}.attention.project"]
        yield from _sum(stream, ours[f"{here}.norm1"], ours[f"{here}.attention.project"])
        for late in _branched(MiniGPT(config, weights).mlp, f"{here}.mlp", middle):
            yield "post-norm", {"tensor": f"{here}.norm2"}, late
    elif last == block:
        down = ours[f"{here}.mlp.down"]
        yield from _sum(ours[f"{here}.middle"], ours[f"{here}.norm2"], down)
        yield "residual", {}, stream + down


def _stream_before(here: str, ours: Trace) -> np.ndarray:
    number = here.removeprefix("blocks.")
    return ours["embedding"] if not number.isdigit() or number == "0" else ours[f"blocks.{int(number) - 1}"]


def _embedding(config: Config, w: Trace, tokens: np.ndarray) -> Iterator[Mistake]:
    token, position, length = w["token_embedding"][tokens], w["position_embedding"], tokens.shape[1]
    yield "no-positions", {}, token
    if length < config.context:
        yield "positions", {}, token + position[1 : length + 1]
    yield "positions", {}, token + position[0]
    yield "positions", {}, token + position[:length][::-1]
    yield "embedding-scaled", {}, token * math.sqrt(config.width) + position[:length]


def _norm(config: Config, w: Trace, name: str, x: np.ndarray) -> Iterator[Mistake]:
    gain, bias, centred = w[f"{name}.gain"], w[f"{name}.bias"], x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    right = centred / np.sqrt(variance + config.epsilon)
    yield "epsilon-place", {}, centred / (np.sqrt(variance) + config.epsilon) * gain + bias
    yield "epsilon-added", {}, (centred / np.sqrt(variance) + config.epsilon) * gain + bias
    unbiased = variance * (x.shape[-1] / (x.shape[-1] - 1))
    yield "unbiased-variance", {}, centred / np.sqrt(unbiased + config.epsilon) * gain + bias
    yield "no-gain", {}, right + bias
    yield "no-bias", {}, right * gain
    yield "no-gain", {}, right
    yield "not-centred", {}, x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + config.epsilon) * gain + bias
    yield "norm-skipped", {}, x


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


def _unseen(name: str, x: np.ndarray) -> None:
    """Takes a step of the forward pass and keeps nothing."""


def _branched(branch: Callable[..., np.ndarray], name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a post-norm model gives to its norm: x plus the branch of x, or the branch alone."""
    made = branch(x, name, _unseen)
    return x + made, made


def _linear(w: Trace, name: str, x: np.ndarray) -> Iterator[Mistake]:
    weight, bias = w[f"{name}.weight"], w[f"{name}.bias"]
    if weight.shape[0] == weight.shape[1]:
        yield "transposed-weight", {}, x @ weight.T + bias
        yield "transposed-weight", {}, x @ weight.T
    reshaped = weight.reshape(weight.shape[::-1]).T
    yield "reshaped-weight", {}, x @ reshaped + bias
    yield "no-bias", {}, x @ weight


def _splits(config: Config, qkv: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """(cause, (q, k, v)) for each way to cut (B, T, 3 D) into heads; the right one first, with an empty cause."""
    batch, length, _ = qkv.shape
    heads, width = config.heads, config.head_width
    yield "", qkv.reshape(batch, length, 3, heads, width).transpose(2, 0, 3, 1, 4)
    yield "head-order", qkv.reshape(batch, length, 3, width, heads).transpose(2, 0, 4, 1, 3)
    yield "head-order", qkv.reshape(batch, length, heads, 3, width).transpose(3, 0, 2, 1, 4)
    yield "head-order", qkv.reshape(batch, length, heads, width, 3).transpose(4, 0, 2, 1, 3)
    thirds = np.stack(np.split(qkv, 3, axis=-1))
    yield "head-reshape", thirds.reshape(3, batch, heads, length, width)


def _scores(config: Config, qkv: np.ndarray) -> Iterator[Mistake]:
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
    yield "softmax-axis", {}, masked(right).swapaxes(-1, -2)
    yield "no-mask", {}, right
    yield "mask-diagonal", {}, masked(right, column >= row)
    yield "mask-shifted", {}, masked(right, column > row + 1)
    yield "mask-transposed", {}, masked(right, column < row)
    yield "mask-inverted", {}, masked(right, column <= row)
    yield "mask-zero", {}, np.where(later, 0.0, right)
    yield "mask-small", {}, np.where(later, -1.0, right)
    for cause, (a, b, _) in _splits(config, qkv):
        if cause:
            yield cause, {}, masked(a @ b.swapaxes(-1, -2) / math.sqrt(width))
    for a, b in ((k, q), (k, v), (q, v), (v, k), (v, q)):
        yield "qkv-order", {}, masked(a @ b.swapaxes(-1, -2) / math.sqrt(width))


def _mixed(config: Config, qkv: np.ndarray, weights: np.ndarray) -> Iterator[Mistake]:
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


def _gelu(x: np.ndarray) -> Iterator[Mistake]:
    erf = np.vectorize(math.erf, otypes=[float])
    yield "gelu-variant", {"got": "x * Phi(x) = F.gelu(x)"}, 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))
    yield "gelu-variant", {"got": "x * sigmoid(1.702 x)"}, x / (1.0 + np.exp(-1.702 * x))
    yield "gelu-variant", {"got": "SiLU, x * sigmoid(x)"}, x / (1.0 + np.exp(-x))
    yield "gelu-variant", {"got": "ReLU"}, np.maximum(x, 0.0)
    yield "no-gelu", {}, x


def _sum(before: np.ndarray, normed: np.ndarray, added: np.ndarray) -> Iterator[Mistake]:
    yield "residual", {}, added
    yield "residual-normed", {}, normed + added
    yield "branch-missing", {}, before


def trace(model: MiniGPT, tokens: np.ndarray) -> dict[str, np.ndarray]:
    """Every named tensor of NumPy's forward pass, in order."""
    steps: dict[str, np.ndarray] = {}
    model.logits(tokens, steps.__setitem__)
    return steps

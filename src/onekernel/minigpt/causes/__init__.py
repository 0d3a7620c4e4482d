"""The mistakes that people make when they port a transformer, each made on purpose.

`mistakes` gives, for one tensor of the trace, what that tensor would be if its last step were done wrong in each known
way and everything before it right. Causes are message keys: minigpt.cause-NAME. Every one has a mutant in
tests/unit/test_minigpt_debugger.py that makes it for real.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ..config import Config
from ..model import MiniGPT, Native
from .done_wrong import Mistake, Trace, factor, formulas, gelu, given, mixed, norm, scores, unseen

HIDDEN = -1e4  # a masked score at or below this is as good as -inf: its weight is 0
FEW = 4  # elements or less are 0 by chance, and not by a dropout
FREE = 1e-6  # relative to its factor: how far apart those of two elements may lie, where a sum has rounded them


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
        softmax, product = Native().softmax(ours[name]), "norm(x) @ head.weight.T"
        written = {f"softmax({product})": softmax, f"log(softmax({product}))": np.log(softmax)}
        yield from formulas(product, written.items())
    elif last in ("norm1", "norm2", "norm"):
        final = ours[f"blocks.{config.blocks - 1}"]
        normed = {"norm1": stream, "norm2": ours.get(f"{here}.middle", final), "norm": final}[last]
        yield from norm(config, weights, name, normed, found)
        if last == "norm1":
            made = MiniGPT(config, weights)
            for late in _branched(made.attention, f"{here}.attention", stream):
                yield "post-norm", {}, made.layer_norm(late, name, unseen)
        if last != "norm2":
            yield from given(config, weights, name, ours)
    elif last in ("qkv", "project", "up", "down"):
        before = {"qkv": "norm1", "project": "attention.mixed", "up": "norm2", "down": "mlp.gelu"}[last]
        yield from _linear(weights, name, ours[f"{here}.{before}"], found)
    elif last == "scores":
        yield from scores(config, ours[f"{here}.attention.qkv"], found)
    elif last == "weights":
        right = ours[f"{here}.attention.scores"]
        yield "softmax-axis", {}, Native().softmax(right.swapaxes(-1, -2)).swapaxes(-1, -2)
        yield "no-softmax", {}, right
    elif last == "mixed":
        yield from mixed(config, ours[f"{here}.attention.qkv"], ours[f"{here}.attention.weights"])
    elif last == "gelu":
        yield from gelu(ours[f"{here}.mlp.up"], found)
    elif last == "middle":
        middle = stream + ours[f"{here}.attention.project"]
        yield from _sum(config, stream, ours[f"{here}.norm1"], ours[f"{here}.attention.project"])
        yield from _dropout(stream, ours[f"{here}.attention.project"], found)
        for late in _branched(MiniGPT(config, weights).mlp, f"{here}.mlp", middle):
            yield "post-norm", {"tensor": f"{here}.norm2"}, late
    elif last == block:
        down = ours[f"{here}.mlp.down"]
        yield from _sum(config, ours[f"{here}.middle"], ours[f"{here}.norm2"], down)
        yield "residual", {}, stream + down
        yield from _dropout(ours[f"{here}.middle"], down, found)
    yield from _dropout(0.0, ours[name], found)
    if times := factor(ours[name], found):  # 0 is no factor that somebody forgot
        yield "factor", {"factor": times}, ours[name] * times


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
    written = {"token * position": token * position[:length], "token - position": token - position[:length]}
    yield from formulas("token + position", written.items())


def _branched(branch: Callable[..., np.ndarray], name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a post-norm model gives to its norm: x plus the branch of x, or the branch alone."""
    made = branch(x, name, unseen)
    return x + made, made


def _linear(w: Trace, name: str, x: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    weight, bias = w[f"{name}.weight"], w[f"{name}.bias"]
    if weight.shape[0] == weight.shape[1]:
        yield "transposed-weight", {}, x @ weight.T + bias
        yield "transposed-weight", {}, x @ weight.T
    reshaped = weight.reshape(weight.shape[::-1]).T
    yield "reshaped-weight", {}, x @ reshaped + bias
    product = x @ weight
    yield "no-bias", {}, product
    written = {"x @ weight + bias + bias": product + bias + bias, "x @ weight - bias": product - bias}
    yield from formulas("x @ weight + bias", written.items())
    for other in (key.removesuffix(".weight") for key in w if key.endswith(".weight")):
        if other != name and w[f"{other}.weight"].shape == weight.shape:
            yield "other-weights", {"other": other}, x @ w[f"{other}.weight"] + w[f"{other}.bias"]
    yield "other-bias", {}, product + (found - product)[(0,) * (found.ndim - 1)]  # the same vector at each position


def _sum(config: Config, before: np.ndarray, normed: np.ndarray, added: np.ndarray) -> Iterator[Mistake]:
    yield "residual", {}, added
    yield "residual-normed", {}, normed + added
    yield "branch-missing", {}, before
    centred = before - before.mean(axis=-1, keepdims=True)
    yield "in-place", {}, centred + added
    yield "in-place", {}, centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + config.epsilon) + added
    written = {
        "x - branch": before - added,
        "x + branch + branch": before + added + added,
        "x + x + branch": before + before + added,
        "x * branch": before * added,
    }
    yield from formulas("x + branch", written.items())


def _dropout(before: np.ndarray | float, added: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    """A dropout that was left on: elements at random are 0, and the others are larger by one factor.

    `before` plus `added` with the elements of `added` left out that are missing in `found`, if the others have one
    factor above 1 in common, which is found from them: 1 / (1 - p)."""
    if added.shape != found.shape:
        return
    got = found - before
    size = np.abs(added)
    told = np.isfinite(added) & np.isfinite(got) & (size > FREE * size[np.isfinite(size)].max(initial=0.0))
    gone = told & (np.abs(got) <= FREE * size)
    kept = told & ~gone
    if gone.sum() <= FEW or kept.sum() <= FEW:
        return
    times = float(np.median(got[kept] / added[kept]))
    if times > 1 and np.allclose(got[kept], times * added[kept], rtol=FREE):
        yield "dropout", {"part": 1 - 1 / times}, before + np.where(gone, 0.0, times * added)


def trace(model: MiniGPT, tokens: np.ndarray) -> dict[str, np.ndarray]:
    """Every named tensor of NumPy's forward pass, in order."""
    steps: dict[str, np.ndarray] = {}
    model.logits(tokens, steps.__setitem__)
    return steps

"""The port debugger: walks NumPy's tensors and the port's side by side, stops at the first that differs, says why.

A cause is not guessed from the size of an error. Every mistake in the list is made on purpose, in NumPy, on the inputs
that both models still share; the one that gives the port's own numbers is the cause. See `causes` for the list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from onekernel.messages import Message

from .causes import hidden_scores, mistakes
from .causes.done_wrong import Trace
from .config import Config

SINGLE = 4 * 2.0**-24  # relative: four roundings to float32
SAME = 1e-9  # relative to a tensor's largest: two fp64 models that differ by rounding alone stay far below


@dataclass(frozen=True)
class Divergence:
    """The first tensor that differs: its name, the worst place, both values, and the cause (a message key) if known."""

    tensor: str
    cause: str
    index: tuple[int, ...] = ()
    ours: float = 0.0
    theirs: float = 0.0
    values: Mapping[str, object] = field(default_factory=dict)

    def messages(self) -> tuple[Message, ...]:
        why = Message(f"minigpt.cause-{self.cause}", {"tensor": self.tensor, **self.values})
        if not self.index:
            return (why,)
        where = {"tensor": self.tensor, "index": ", ".join(map(str, self.index)), "got": float(self.theirs)}
        return (Message("minigpt.first-difference", {**where, "want": float(self.ours)}), why)


def explain(
    config: Config,
    weights: Mapping[str, np.ndarray],
    tokens: np.ndarray,
    ours: Mapping[str, np.ndarray],
    theirs: Mapping[str, np.ndarray],
    *,
    same: float = SAME,
    calls: Mapping[str, int] | None = None,
) -> Divergence | None:
    """The first difference between two traces of one forward pass: NumPy's (in its order) and the port's.

    `same` is the relative difference that still counts as rounding. If nothing is above it, the first tensor whose
    bytes differ is named, and which operation to look at. None where all bytes are equal. A step that the hooks did not
    see, or saw more than once (`calls`), is named only where nothing better explains a difference: call this for ports
    that are wrong.
    """
    skipped: list[str] = []  # steps that no hook saw; only interesting if something is wrong after them
    again = {name: calls[name] for name in ours if calls and calls.get(name, 1) > 1}
    for name, expected in ours.items():
        found = theirs.get(name)
        if found is None:
            skipped.append(name)
        elif found.shape != expected.shape:
            return Divergence(name, "shape", values={"got": str(found.shape), "want": str(expected.shape)})
        elif found.dtype != np.float64:
            return Divergence(name, "dtype", values={"got": str(found.dtype)})
        elif not close(name, expected, found, same):
            cause, values = _cause_of(name, config, weights, tokens, ours, found, same)
            if cause.startswith("unknown") and not skipped:
                cause, values = _of_order(name, theirs) or _of_precision(name, expected, found) or (cause, values)
            if skipped and cause.startswith(("unknown", "other-input")):  # the step that was skipped explains it
                break
            if cause.startswith("unknown") and again:
                twice = next(iter(again))
                cause, values = "called-again", {"tensor": twice, "calls": again[twice]}
            return divergence(name, expected, found, cause, values)
    if skipped and again:
        twice = next(iter(again))
        missing = next((s for s in skipped if kind_of(s) == kind_of(twice)), skipped[0])
        return Divergence(twice, "called-instead", values={"calls": again[twice], "missing": missing})
    if skipped:
        whole = [f"blocks.{n}" for n in range(config.blocks) if all(s in skipped for s in ours if _belongs(s, n))]
        if whole:
            return Divergence(whole[0], "block-left-out")
        return Divergence(skipped[0], "never-computed", values={"module": _maker(skipped[0])})
    for name, expected in ours.items():
        found = theirs[name]
        if hidden_scores(name, expected).tobytes() != hidden_scores(name, found).tobytes():
            return divergence(name, expected, found, f"rounding-{kind_of(name)}", {})
    return None


def _maker(name: str) -> str:
    """The module whose call shows that tensor: its own, or the one that takes it."""
    before, _, last = name.rpartition(".")
    taken = {"scores": "softmax", "weights": "softmax", "mixed": "project", "gelu": "down", "middle": "norm2"}
    return f"{before}.{taken.get(last, last)}".lstrip(".")


def _belongs(name: str, block: int) -> bool:
    return name == f"blocks.{block}" or name.startswith(f"blocks.{block}.")


def _of_order(name: str, theirs: Mapping[str, np.ndarray]) -> tuple[str, Mapping[str, object]] | None:
    """The block whose output is what the first block was given."""
    outputs = {n: t for n, t in theirs.items() if re.fullmatch(r"blocks\.\d+", n)}
    before = next((n for n, t in outputs.items() if name == "embedding" and np.array_equal(t, theirs[name])), None)
    return ("blocks-order", {"block": before}) if before else None


def _of_precision(name: str, expected: np.ndarray, found: np.ndarray) -> tuple[str, Mapping[str, object]] | None:
    """Whether the two agree as far as float32 goes, and no further."""
    return ("narrow", {"type": "float32"}) if close(name, expected, found, SINGLE) else None


def transposed(config: Config, layer: str, error: str) -> Divergence | None:
    """A linear layer that raised because its weight lies the other way round: `error` names both of its sizes."""
    inputs, outputs = shape = config.shapes().get(f"{layer}.weight", (0, 0))
    if inputs == outputs or not {inputs, outputs} <= {int(n) for n in re.findall(r"(?<![.\d])\d{1,9}(?!\d)", error)}:
        return None
    return Divergence(layer, "transposed-shape", values={"numpy": str(shape), "linear": str(shape[::-1])})


def close(name: str, expected: np.ndarray, found: np.ndarray, same: float) -> bool:
    a, b = hidden_scores(name, expected), hidden_scores(name, found)
    with np.errstate(invalid="ignore"):
        limit = same * max(1e-300, np.abs(a[np.isfinite(a)]).max(initial=0.0))
        return bool(np.all((a == b) | (np.abs(a - b) <= limit) | (np.isnan(a) & np.isnan(b))))


def _cause_of(
    name: str, config: Config, weights: Trace, tokens: np.ndarray, ours: Trace, found: np.ndarray, same: float
) -> tuple[str, Mapping[str, object]]:
    with np.errstate(all="ignore"):
        for cause, values, made in mistakes(name, config, weights, tokens, ours, found):
            if made.shape == found.shape and close(name, made, found, same):
                return cause, values
    return f"unknown-{kind_of(name)}", {}


def divergence(
    name: str, expected: np.ndarray, found: np.ndarray, cause: str, values: Mapping[str, object]
) -> Divergence:
    with np.errstate(invalid="ignore"):
        a, b = hidden_scores(name, expected), hidden_scores(name, found)
        gap = np.where((a == b), 0.0, np.abs(a - b))
    gap = np.where(np.isnan(gap), np.inf, gap)
    if not gap.any():  # 0.0 against -0.0: equal, and other bytes
        gap = (np.signbit(a) != np.signbit(b)).astype(float)
    index = tuple(int(i) for i in np.unravel_index(np.argmax(gap), gap.shape))
    return Divergence(name, cause, index, float(expected[index]), float(found[index]), values)


def kind_of(name: str) -> str:
    """What made a tensor: embedding, norm, linear, scores, weights, mixed, gelu, sum or logits."""
    last = name.rsplit(".", 1)[-1]
    if last in ("qkv", "project", "up", "down"):
        return "linear"
    if last in ("norm", "norm1", "norm2"):
        return "norm"
    return "sum" if last == "middle" or last.isdigit() else last

"""The picture of online softmax in attention: the weights of a query after each tile of keys, and what is rescaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.bench.style import COLOURS, FAINT, INK, figure, save, title
from onekernel.messages import language, say
from onekernel.numerals import number

# The scores of one query with twelve keys: the second tile brings a larger maximum, the third does not.
SCORES = (1.0, 0.2, 1.6, 0.7, 2.6, 0.9, 2.0, 0.1, 1.2, 2.2, 0.5, 1.5)
TILE = 4
OLD, NEW, BEFORE = COLOURS[2], COLOURS[1], "#888888"


@dataclass(frozen=True)
class Step:
    """What a query holds after a tile: its maximum, its sum, what the sums so far were multiplied by, the weights."""

    largest: float
    total: float
    rescale: float
    weights: tuple[float, ...]  # exp(score - largest) of every key so far
    before: tuple[float, ...]  # those of the earlier tiles as they stood until now


def steps(scores: Sequence[float], tile: int) -> list[Step]:
    """Online softmax over tiles of scores, each weight kept so that it can be drawn; a kernel keeps only its sums."""
    found: list[Step] = []
    largest, total, weights = -np.inf, 0.0, np.zeros(0)
    for start in range(0, len(scores), tile):
        new = np.asarray(scores[start : start + tile])
        most = max(largest, float(new.max()))
        rescale, added, before = float(np.exp(largest - most)), np.exp(new - most), weights
        largest, total = most, total * rescale + float(added.sum())
        weights = np.concatenate([weights * rescale, added])
        found.append(Step(largest, total, rescale, tuple(weights), tuple(before)))
    return found


def draw(path: Path) -> list[Path]:
    """Writes the picture as `path`.png and .svg. The paths."""
    fig = figure(9.4, 5.6)
    walked = steps(SCORES, TILE)
    for k, (axes, step) in enumerate(zip(fig.subplots(len(walked), 1, sharex=True), walked, strict=True)):
        _panel(axes, k, step)
    title(fig, say("book.attention-title"), say("book.attention-under"))
    return save(fig, path)


def _panel(axes: Any, number_: int, step: Step) -> None:
    old = len(step.before)
    at = np.arange(len(step.weights))
    axes.bar(at[:old], step.weights[:old], color=OLD, width=0.8)
    axes.bar(at[old:], step.weights[old:], color=NEW, width=0.8)
    if step.rescale < 1:  # where they stood before the larger maximum came
        axes.bar(at[:old], step.before, facecolor="none", edgecolor=BEFORE, width=0.8, linestyle="--", linewidth=1)
    lang = language()
    written = {k: number(v, ".2f", lang) for k, v in (("m", step.largest), ("l", step.total), ("a", step.rescale))}
    first = not old
    axes.text(12.1, 0.78, say("book.attention-m", m=number(step.largest, ".1f", lang)), fontsize=9.5, va="center")
    axes.text(
        12.1, 0.5, say("book.attention-l-first" if first else "book.attention-l", **written), fontsize=9.5, va="center"
    )
    axes.text(
        12.1, 0.22, say("book.attention-o-first" if first else "book.attention-o", **written), fontsize=9.5, va="center"
    )
    axes.set(xlim=(-0.7, 19.5), ylim=(0, 1.12), yticks=(0, 1), xticks=range(len(SCORES)))
    axes.set_xticklabels([number(s, ".1f", lang) for s in SCORES], fontsize=8.5)
    axes.set_ylabel(say("book.attention-tile", number=number_ + 1), fontsize=9, color=INK)
    for edge in range(TILE, len(SCORES), TILE):
        axes.axvline(edge - 0.5, color=FAINT, linewidth=0.7, linestyle=":")
    axes.grid(visible=False)
    axes.spines["bottom"].set_bounds(-0.5, len(SCORES) - 0.5)

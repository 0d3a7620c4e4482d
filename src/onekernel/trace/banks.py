"""The picture of one access to shared memory: 32 banks across, the rows of words down, and which lane lands where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from onekernel.bench.style import FAINT, INK, stacked
from onekernel.messages import say
from onekernel.trace.access import which
from onekernel.trace.palette import BAD, GOOD, bare, box, ink_on, source_line
from onekernel.trace.recording import Request, Want

BANKS = 32  # columns of the picture
MOST_ROWS = 34


def worst_part(request: Request) -> tuple[Want, ...]:
    """What the lanes that are served together and need the most passes want; all 32 for accesses of up to 4 bytes."""
    return max(request.parts, key=most_words)


def most_words(part: Sequence[Want]) -> int:
    """Of those that one bank must give."""
    return max(len(words) for words in words_by_bank(part).values())


def words_by_bank(part: Sequence[Want]) -> dict[int, set[int]]:
    """Bank -> the distinct words that are wanted of it."""
    found: dict[int, set[int]] = {}
    for want in part:
        found.setdefault(want.bank, set()).add(want.word)
    return found


def lanes_by_word(part: Sequence[Want]) -> dict[int, list[int]]:
    """Word -> the lanes that want it."""
    found: dict[int, list[int]] = {}
    for want in part:
        found.setdefault(want.word, []).append(want.lane)
    return found


def degree(request: Request) -> int:
    """The most different words that one bank must give at once: 1 is free of conflicts."""
    return most_words(worst_part(request))


def summary(request: Request) -> str:
    if degree(request) == 1:
        return say("trace.banks-free", which=which(request), wavefronts=request.wavefronts)
    ideal = len(request.parts)
    return say("trace.banks-conflict", which=which(request), degree=degree(request), wavefronts=request.wavefronts,
               ideal=ideal)  # fmt: skip


def rows_of(request: Request) -> list[int]:
    """The rows of 32 words to show, ascending: the first and the last where there are many."""
    rows = sorted({word // BANKS for word in lanes_by_word(worst_part(request))})
    return rows if len(rows) <= MOST_ROWS else [*rows[: MOST_ROWS - 4], *rows[-3:]]


def draw(panels: Sequence[tuple[str, Request]], heading: str, under: str, path: Path) -> list[Path]:
    """One panel for each (source text, request), one below the other. The written paths."""
    heights = [6.9 + len(rows_of(r)) * _scale(r) for _, r in panels]
    return stacked(panels, heights, (9.6, 0.75 + 0.29 * sum(heights)), _panel, heading, under, path)


def _scale(request: Request) -> float:
    return 0.62 if len(rows_of(request)) > 12 else 1.0


def _panel(axes: Any, text: str, request: Request) -> None:
    part = worst_part(request)
    rows, banks, tall = rows_of(request), words_by_bank(part), _scale(request)
    source_line(axes, -2.2, text)
    axes.text(0, -1.1, summary(request), fontsize=9.5, va="bottom", fontweight="bold")
    axes.text(-0.4, -0.45, say("trace.bank"), ha="right", va="center", fontsize=8, color=FAINT)
    for bank in range(BANKS):
        axes.text(bank + 0.5, -0.45, str(bank), ha="center", va="center", fontsize=7.5, color=FAINT)
    place = {row: k * tall for k, row in enumerate(rows)}
    for y in place.values():
        box(axes, 0, y, BANKS, tall, "#f4f4f4", edgecolor="#dddddd", linewidth=0.5)
    step = 1 if len(rows) <= 12 else 4
    for row in rows[::step]:
        label = say("trace.word", word=row * BANKS)
        axes.text(-0.4, place[row] + tall / 2, label, ha="right", va="center", fontsize=7.5, color=FAINT)
    for bank in range(BANKS + 1):
        axes.plot([bank, bank], [0, len(rows) * tall], color="#dddddd", linewidth=0.5, zorder=1)
    for word, lanes in lanes_by_word(part).items():
        if word // BANKS not in place:
            continue
        colour = BAD if len(banks[word % BANKS]) > 1 else GOOD
        y = place[word // BANKS]
        box(axes, word % BANKS, y, 1, tall, colour, zorder=2)
        label = str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}"
        axes.text(word % BANKS + 0.5, y + tall / 2, label, ha="center", va="center", fontsize=8 if tall == 1 else 6.5,
                  color=ink_on(colour), zorder=3)  # fmt: skip
    bottom = len(rows) * tall
    _passes(axes, banks, bottom)
    axes.set_xlim(-3.9, 32.2)
    axes.set_ylim(-3.2, bottom + 3.7)
    bare(axes)


def _passes(axes: Any, banks: dict[int, set[int]], top: float) -> None:
    """Below the map: how many words each bank must give, one wavefront each."""
    most = max(len(words) for words in banks.values())
    base, height = top + 2.5, 1.9
    axes.text(-0.4, base - height / 2, say("trace.words-asked"), ha="right", va="center", fontsize=7.5, color=FAINT)
    for bank in range(BANKS):
        count = len(banks.get(bank, ()))
        tall = height * count / most
        if count:
            colour = BAD if count > 1 else GOOD
            box(axes, bank, base - tall, 1, tall, colour)
        ink = INK if count else FAINT
        axes.text(bank + 0.5, base + 0.45, str(count), ha="center", va="center", fontsize=7.5, color=ink)
    axes.plot([0, BANKS], [base, base], color=FAINT, linewidth=0.8)

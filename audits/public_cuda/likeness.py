"""Whether a program prints on the simulator what it printed on a GPU, but for what two machines never have in common.

Two runs on the GPU tell which numbers and lines vary of themselves. Beside these, numbers may differ in lines that
measure (`_MEASURES`) or describe the card (`_DESCRIBES`); pointers, the card's name, and the folder in front of a
source file or of the program's own name are not compared. All other numbers are equal: to the last digit without a
point or exponent, else within `RELATIVE`, `ABSOLUTE`, or one unit of the last printed digit. The simulator's NaN may
stand for any number in a program that asks for the time between events, which is NaN there.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

RELATIVE, ABSOLUTE = 1e-3, 1e-6
STEADY = 1e-5  # relative: sums in another order differ by less from run to run, another seed makes more of it
_NUMBER = re.compile(
    r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf|infinity)(?=(?:x|[mun]?s)?\b)", re.IGNORECASE
)
_MEASURES = re.compile(
    r"time[sdr]?\b|timing|elapsed|\btook\b|duration|latency|bandwidth|throughput|speed-?\s?up|\b(?:faster|slower|clocks?|"
    r"cycles?|performance|workload|overhead|fps)\b|\d\s*(?:[mun]?s|x|X)\b|"
    r"\b(?:[mun]s|m?sec(?:ond)?s?|millisec\w*|microsec\w*)\b|"
    r"[KMGT]i?B(?:ytes)?/s|[KMGT]?flops?\b|[KMG]?Hz\b|/s\b|\bper second\b",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"compute capability|multi-?processor|\bSMs?\b|\bcores?\b|"
    r"(?:global|device|free|total|available|shared|constant|used) mem|"
    r"mem(?:ory)?(?: clock| bus| pitch| usage|: \d+ [MG]i?B)|\bbus\b|L2 cache|GPU Device|\bdevice \d|"
    r"driver|runtime version|\bPCI|UUID|occupancy|\btexture\b.*\bdim|registers?\b|warps? per",
    re.IGNORECASE,
)
_POINTER = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_FOLDER = re.compile(r"[^\s\"'(=:]*/(?=[\w.-]+\.(?:cuh?|cpp|h|hpp|inl)\b)")
_CARD = re.compile(r"OneKernel simulator \(modelled sm_\d+\)")


@dataclass(frozen=True)
class _Line:
    """A line as the texts between its numbers, and these. A number is None where it may be anything."""

    texts: tuple[str, ...]
    numbers: tuple[str | None, ...]
    shown: str

    def likely(self, ours: _Line) -> bool:
        return self.texts == ours.texts and all(map(_near, self.numbers, ours.numbers))


@dataclass(frozen=True)
class Likeness:
    """`first`: the first line that differs, the GPU's and the simulator's, for who compares them."""

    same: bool
    reordered: bool = False  # the same lines, in another order
    tells: bool = True  # there was something to compare
    first: tuple[str, str] = ("", "")


def likeness(
    gpu: Sequence[str], simulated: str, card: str, name: str, whole: bool = True, times: bool = False
) -> Likeness:
    """Compares what the two runs on the GPU `card` printed with the simulator's. `name`: the program's own.

    Not `whole`: they were cut off, and only what all of them have is compared, if the GPU's are equal. `times`: the
    program asks for the time between events.
    """
    first, second, ours = (_lines(text, card, name) for text in (*gpu, simulated))
    if times:
        ours = [replace(line, numbers=tuple(None if _is_nan(n) else n for n in line.numbers)) for line in ours]
    if not whole and first != second:  # how far each got differs, too
        return Likeness(True, tells=False)
    if not whole:
        least = min(map(len, (first, second, ours))) - 1
        first, second, ours = first[:least], second[:least], ours[:least]
    fixed, gaps = _fixed(first, second)
    tells = any(_tells(line) for line in fixed)
    if not gaps and len(fixed) == len(ours) and all(map(_Line.likely, fixed, ours)):
        return Likeness(True, tells=tells)
    if (left := _unmatched(fixed, ours, gaps)) is None:
        return Likeness(True, reordered=not gaps, tells=tells)
    pairs = zip(fixed, ours, strict=False)
    apart = next(((a.shown, b.shown) for a, b in pairs if not a.likely(b)), None) if not gaps else None
    return Likeness(False, tells=tells, first=apart or left)


def _lines(text: str, card: str, name: str) -> list[_Line]:
    lines = []
    for shown in re.split(r"[\r\n]+", text):
        line = _CARD.sub("<card>", shown.replace(card, "<card>") if card else shown).replace(f"./{name}", name)
        line = _FOLDER.sub("", _POINTER.sub("<pointer>", line))
        numbers: list[str | None] = [*_NUMBER.findall(line)]
        if _MEASURES.search(line) or _DESCRIBES.search(line):
            numbers = [None] * len(numbers)
        texts = tuple(" ".join(part.split()) for part in _NUMBER.split(line))
        if any(texts) or numbers:
            lines.append(_Line(texts, tuple(numbers), shown.strip()))
    return lines


def _fixed(first: Sequence[_Line], second: Sequence[_Line]) -> tuple[list[_Line], bool]:
    """The lines that both runs have, without the numbers that vary, and whether either has others beside them."""
    if Counter(first) == Counter(second):  # all that varies is their order
        return list(first), False
    if len(first) == len(second):
        pairs = [(k, k, 1) for k in range(len(first))]
    else:
        aligned = SequenceMatcher(None, [n.texts for n in first], [n.texts for n in second], autojunk=False)
        pairs = [(block.a, block.b, block.size) for block in aligned.get_matching_blocks()]
    found = []
    gaps = len(first) != len(second)
    for at, other, size in pairs:
        for a, b in zip(first[at : at + size], second[other : other + size], strict=True):
            if a.texts != b.texts:
                gaps = True
                continue
            both = zip(a.numbers, b.numbers, strict=True)
            numbers = tuple(x if x is not None and _near(x, y, STEADY) else None for x, y in both)
            found.append(_Line(a.texts, numbers, a.shown))
    return found, gaps


def _tells(line: _Line) -> bool:
    """Whether it says something that is neither measured nor varies."""
    return any(number is not None for number in line.numbers) or (not line.numbers and any(line.texts))


def _unmatched(fixed: Sequence[_Line], ours: Sequence[_Line], gaps: bool) -> tuple[str, str] | None:
    """The first line of either without a partner in the other, in whatever order; the other's only without gaps."""
    left: dict[tuple[str, ...], list[_Line]] = defaultdict(list)
    for line in ours:
        left[line.texts].append(line)
    for line in sorted(fixed, key=lambda n: n.numbers.count(None)):  # what can be told from others chooses first
        partner = next((n for n in left[line.texts] if line.likely(n)), None)
        if partner is None:
            return line.shown, ""
        left[line.texts].remove(partner)
    other = next((n.shown for lines in left.values() for n in lines), None)
    return ("", other) if other is not None and not gaps else None


def _near(one: str | None, other: str | None, relative: float = RELATIVE) -> bool:
    if one is None or other is None or one == other:
        return True
    a, b = float(one), float(other)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return (math.isnan(a) and math.isnan(b)) or a == b
    if not any(mark in text for text in (one, other) for mark in ".eE"):
        return a == b
    return abs(a - b) <= max(relative * max(abs(a), abs(b)), ABSOLUTE, 1.01 * min(_unit(one), _unit(other)))


def _is_nan(text: str | None) -> bool:
    return text is not None and math.isnan(float(text))


def _unit(text: str) -> float:
    """Of the last digit that is printed."""
    mantissa, _, exponent = text.lower().partition("e")
    return float(10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])))

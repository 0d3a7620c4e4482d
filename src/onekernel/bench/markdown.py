"""Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"(?:de )?[*~<>≤≥±+-]*\s?\d|[-–]?$")  # how a number begins, or a span; a dash stands for one


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table: the first column to the left, of the others those to the right that hold mostly numbers."""
    body = [list(row) for row in rows]
    head = f"| {' | '.join(columns)} |"
    sides = ["---:" if _numbers([row[at] for row in body]) else "---" for at in range(1, len(columns))]
    rule = "|" + "|".join(["---", *sides]) + "|"
    return [head, rule, *(f"| {' | '.join(row)} |" for row in body)]


def _numbers(cells: Sequence[str]) -> bool:
    return 2 * sum(1 for cell in cells if _NUMBER.match(cell)) >= len(cells)

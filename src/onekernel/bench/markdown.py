"""Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table: the first column to the left, the others to the right."""
    head = f"| {' | '.join(columns)} |"
    rule = "|" + "|".join(["---", *["---:"] * (len(columns) - 1)]) + "|"
    return [head, rule, *(f"| {' | '.join(row)} |" for row in rows)]

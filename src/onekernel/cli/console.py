"""Output: rich's console, made when it is needed. Paths and commands are never broken, so that they can be copied."""

from __future__ import annotations

import textwrap
from functools import cache
from typing import Any

from onekernel.messages import say

MARKS = {  # status -> (mark, style)
    "passed": ("✓", "green"),
    "partial": ("◐", "yellow"),
    "failed": ("✗", "red"),
    "untouched": ("○", "cyan"),
    "not-assessed": ("–", "dim"),
    "ok": ("✓", "green"),
    "missing": ("✗", "red"),
    "info": ("–", "dim"),
}
WIDEST = 100  # a line that is longer than this is hard to read, however wide the terminal


@cache
def console(stderr: bool = False) -> Any:
    """The console of standard output (or of standard error)."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, emoji=False, markup=False)


def width() -> int:
    return min(int(console().width), WIDEST)


def write(text: str = "", style: str | None = None) -> None:
    """A paragraph, broken at words to fit."""
    console().print(text, style=style, width=width() if text else None)


def verbatim(text: str, style: str | None = None) -> None:
    """A line that is never broken."""
    console().print(text, style=style, soft_wrap=True)


def indented(text: str, by: int, style: str | None = None) -> None:
    """A paragraph, each line of it moved to the right."""
    margin = " " * by
    for line in textwrap.wrap(text, width(), initial_indent=margin, subsequent_indent=margin,
                              break_long_words=False, break_on_hyphens=False):  # fmt: skip
        verbatim(line, style)


def tell(key: str, **values: Any) -> None:
    """A message of cli.toml as a paragraph."""
    write(say(f"cli.{key}", **values))


def complain(text: str) -> None:
    """A sentence on standard error."""
    console(stderr=True).print(text, style="bold red" if console(stderr=True).is_terminal else None, soft_wrap=True)

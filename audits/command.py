"""A bench's command line, checked: one sentence says what is wrong and what would be right.

The words are in messages/bench.toml: `about-BENCH`, `opt-OPTION`, and `opt-BENCH-OPTION` where a bench says it in its
own way.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from onekernel import cuda
from onekernel.arguments import Parser, choose_language
from onekernel.backends.base import Unavailable
from onekernel.bench.cards import Card, card_named, cards
from onekernel.errors import UserError, told
from onekernel.messages import Message, area, say

SHAPE_NUMBERS = (2, 3)  # rows, cols, and how many elements the tensors are shifted by
ONEKERNEL = (sys.executable, "-c", "import sys; from onekernel.cli import main; sys.exit(main(sys.argv[1:]))")
"""Stands for `onekernel` in a command of a bench, also in a checkout that is run as it stands."""


def run(main: Callable[[Sequence[str]], int]) -> int:
    """The exit status of a bench with this process's command line: its own, or that of the sentence that it ends in."""
    choose_language(sys.argv[1:])
    try:
        return told(lambda: main(sys.argv[1:]))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read our output has gone
        return 0


def parser(bench: str, module: str = "") -> argparse.ArgumentParser:
    """The command line of a bench, or of an audit's `module`, without options but --help, --lang and --dry-run."""
    called = f"python -m {module}" if module else f"python bench/{bench}.py"
    made = Parser(prog=called, description=say(f"bench.about-{bench}"))
    option(made, bench, "--dry-run", action="store_true")
    return made


def option(made: argparse.ArgumentParser, bench: str, name: str, **settings: Any) -> None:
    """Adds an option with its words."""
    own, common = (f"opt-{bench}-{name.strip('-')}", f"opt-{name.strip('-')}")
    key = own if own in area("bench") else common
    made.add_argument(name, help=say(f"bench.{key}"), **settings)


def drawing_parser(bench: str) -> argparse.ArgumentParser:
    """The options of a bench that measures, predicts or draws again what bench/results/GPU/`bench`.json holds."""
    made = parser(bench)
    option(made, bench, "--out", type=Path, metavar="DIR")
    option(made, bench, "--draw", metavar="GPU")
    option(made, bench, "--predict", action="store_true")
    option(made, bench, "--card", default="H200")
    return made


def too_small(option: str, value: float) -> UserError:
    """The error for a number that must be at least 1."""
    return UserError(Message.of("bench.bad-number", option=option, value=value, least=1))


def shapes(texts: Iterable[str]) -> list[tuple[int, ...]]:
    """ "8192,4096" or "8192,4096,1" -> numbers: rows and cols of at least 1, a shift of at least 0."""
    found = []
    for text in texts:
        try:
            numbers = tuple(int(part) for part in text.split(","))
        except ValueError:
            raise UserError(Message.of("bench.bad-shape", text=text)) from None
        if len(numbers) not in SHAPE_NUMBERS or min(numbers[:2]) < 1 or min(numbers) < 0:
            raise UserError(Message.of("bench.bad-shape", text=text))
        found.append(numbers)
    return found


def files(paths: Sequence[Path]) -> Sequence[Path]:
    """The same paths, each of them a .cu or .py file."""
    for path in paths:
        if not path.is_file():
            raise UserError(Message.of("bench.no-such-file", path=path))
        if path.suffix not in (".cu", ".py"):
            raise UserError(Message.of("bench.no-kernel-file", path=path))
    return paths


def names(wanted: Sequence[str], known: Sequence[str]) -> None:
    """Raises UserError for a name that nobody has."""
    for name in wanted:
        if name not in known:
            raise UserError(Message.of("bench.no-such-contender", name=name, known=", ".join(known)))


def card(name: str) -> Card:
    """A card of cards.toml. Raises UserError with the names that it has."""
    found = card_named(name)
    if found is None:
        raise UserError(Message.of("bench.no-such-card", name=name, known=", ".join(cards())))
    return found


def has_gpu(instead: str) -> bool:
    """Whether there is a GPU to measure on; without one it says why and, by the message `instead`, what is done."""
    try:
        cuda.require()
    except Unavailable as error:
        print(say("bench.no-gpu", cause=error.message.text()), file=sys.stderr)
        print(say(f"bench.{instead}"), file=sys.stderr)
        return False
    return True

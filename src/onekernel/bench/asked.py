"""What a bench was asked on its command line, checked: one sentence says what is wrong and what would be right."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from onekernel.backends import cuda
from onekernel.backends.base import Unavailable
from onekernel.bench.cards import Card, card_named, cards
from onekernel.errors import UserError
from onekernel.messages import Message, say

SHAPE_NUMBERS = (2, 3)  # rows, cols, and how many elements the tensors are shifted by


def parser(about: str | None, bench: str) -> argparse.ArgumentParser:
    """The options of a bench that measures, predicts or draws again what bench/results/GPU/`bench`.json holds."""
    found = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--out", type=Path, help="default: bench/results/<gpu>/")
    found.add_argument("--draw", metavar="GPU", help=f"draw again what bench/results/GPU/{bench}.json holds")
    found.add_argument("--predict", action="store_true", help="what is to be expected, no measurement")
    found.add_argument("--card", default="H200", help="with --predict: a card of src/onekernel/bench/cards.toml")
    found.add_argument("--dry-run", action="store_true")
    return found


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


def record(root: Path, gpu: str, bench: str) -> Path:
    """The committed result file of a card. Raises UserError with the cards that have one."""
    folder = root / "bench" / "results"
    known = sorted(path.parent.name for path in folder.glob(f"*/{bench}.json"))
    if gpu not in known:
        raise UserError(Message.of("bench.no-such-record", bench=bench, gpu=gpu, known=", ".join(known) or "-"))
    return folder / gpu / f"{bench}.json"


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

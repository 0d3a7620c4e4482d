"""The right answers of the roofline challenge, computed from the ledger and the table of cards, not copied from the
solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from onekernel.bench.cards import Card, card_named, cards
from onekernel.ops import OPERATORS
from onekernel.units import parse

N = 2**24
ITEMSIZE = 2  # fp16
REFERENCE_CARD = "H100 SXM"


@dataclass(frozen=True)
class Right:
    """The right answer: a quantity within a relative tolerance, a word, or a set of lines of a file."""

    value: float | str | frozenset[int]
    unit: str = ""
    within: float = 0.02
    among: tuple[str, ...] = ()  # of a word: those that may be answered


class UnknownCard(KeyError):
    """A card that the course does not know."""

    def __str__(self) -> str:
        return str(self.args[0])


def _card(given: Mapping[str, str]) -> Card:
    name = given.get("CARD", "").strip()
    card = card_named(name)
    if card is None:
        raise UnknownCard(name or "-")
    return card


def _given(given: Mapping[str, str], name: str) -> float:
    return parse(given.get(name, "")).value


_LEDGER = OPERATORS["vector_add"].ledger({"n": N}, ITEMSIZE)
_H100 = cards()[REFERENCE_CARD]
_Rule = Callable[[Mapping[str, str]], Right]

RIGHT: dict[str, _Rule] = {
    "FLOPS": lambda g: Right(_LEDGER.flops, "FLOP"),
    "BYTES": lambda g: Right(_LEDGER.bytes, "B"),
    "INTENSITY": lambda g: Right(_LEDGER.intensity, "FLOP/byte"),
    "RIDGE": lambda g: Right(_H100.fp16 / _H100.bandwidth, "FLOP/byte"),
    "BINDS": lambda g: _binds(_H100),
    "LOWEST_TIME": lambda g: Right(_LEDGER.bytes / _H100.bandwidth, "s"),
    "ATTAINABLE": lambda g: Right(_LEDGER.intensity * _H100.bandwidth, "FLOP/s"),
    "TENSOR_CORES_HELP": lambda g: Right("no", among=("yes", "no")),
    "FLOPS_TO_BALANCE": lambda g: Right(_H100.fp16 / _H100.bandwidth * _LEDGER.bytes / N, "FLOP"),
    "CARD": lambda g: Right(g["CARD"].strip().lower() if _card(g) else ""),
    "CARD_BANDWIDTH": lambda g: Right(_card(g).bandwidth, "B/s", 0.10),
    "CARD_PEAK": lambda g: Right(_card(g).fp16, "FLOP/s", 0.10),
    "CARD_RIDGE": lambda g: Right(_given(g, "CARD_PEAK") / (_given(g, "CARD_BANDWIDTH") or 1), "FLOP/byte"),
    "CARD_BINDS": lambda g: _binds(_card(g)),
    "CARD_LOWEST_TIME": lambda g: Right(_LEDGER.bytes / (_given(g, "CARD_BANDWIDTH") or 1), "s"),
}


def _binds(card: Card) -> Right:
    memory_binds = _LEDGER.intensity < card.fp16 / card.bandwidth
    return Right("memory" if memory_binds else "compute", among=("memory", "compute"))

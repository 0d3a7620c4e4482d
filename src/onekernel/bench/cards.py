"""The cards whose peaks the course knows: `cards.toml` as dataclasses."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Card:
    """A card by its maker's figures: bytes/s, FLOP/s of the ordinary units, L2 in bytes, SMs, source."""

    name: str
    device_names: tuple[str, ...]
    bandwidth: float
    fp32: float
    fp16: float
    fp16_tensor: float
    l2: int
    sms: int
    capability: str
    source: str

    @property
    def ridge(self) -> float:
        """The intensity at which the fp32 roof meets the memory roof, FLOP/byte."""
        return self.fp32 / self.bandwidth


@cache
def cards() -> dict[str, Card]:
    """Every card of the table, by the course's name for it."""
    data = tomllib.loads(Path(__file__).with_name("cards.toml").read_text(encoding="utf-8"))
    return {name: Card(name, tuple(d.pop("device_names")), **d) for name, d in data.items()}


def card_named(name: str) -> Card | None:
    """The card of that name, the course's or the driver's, whatever the case; None where the table has none."""
    wanted = name.strip().lower()
    for card in cards().values():
        if wanted == card.name.lower() or wanted in (n.lower() for n in card.device_names):
            return card
    return None

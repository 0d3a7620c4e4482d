"""Launches are found in one walk over a file, whatever it holds."""

from __future__ import annotations

from onekernel.simulator.rewrite.launches import launches
from onekernel.simulator.rewrite.tokens import tokenize


class Counted(list):
    """Counts how often one of its elements is looked at."""

    looked = 0

    def __getitem__(self, at):
        self.looked += 1
        return super().__getitem__(at)


def test_chevrons_in_a_row_are_looked_at_once() -> None:
    tokens = Counted(tokenize("<<<" * 2_000 + "; scale<<<1, 32>>>(x);"))
    assert len(list(launches(tokens))) == 1
    assert tokens.looked < 20 * len(tokens)

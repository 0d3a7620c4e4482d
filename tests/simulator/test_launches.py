"""A file is walked once, whatever it holds: launches, raw strings, colons."""

from __future__ import annotations

import pytest

from onekernel.simulator.facts.declarations import declarations
from onekernel.simulator.facts.kernels import launches
from onekernel.simulator.facts.tokens import text_of, tokenize


class Counted(list):
    """Counts how often one of its elements is looked at."""

    looked = 0

    def __getitem__(self, at):
        found = super().__getitem__(at)
        self.looked += len(found) if isinstance(at, slice) else 1
        return found


def test_chevrons_in_a_row_are_looked_at_once() -> None:
    tokens = Counted(tokenize("<<<" * 2_000 + "; scale<<<1, 32>>>(x);"))
    assert len(list(launches(tokens))) == 1
    assert tokens.looked < 20 * len(tokens)


@pytest.mark.parametrize(
    ("source", "strings"),
    [('a R"(x)" b', ['R"(x)"']), ('u8R"d(x)")d" R"(', ['u8R"d(x)")d"']), ('LR"(\n)" R"x(y)"', ['LR"(\n)"', '"x(y)"']),
     ('fooR"(q)"', ['"(q)"'])],
)  # fmt: skip
def test_raw_strings_end_where_they_began_and_else_are_none(source: str, strings: list[str]) -> None:
    tokens = tokenize(source)
    assert [t.text for t in tokens if t.kind == "string"] == strings and text_of(tokens) == source


def test_colons_in_a_row_do_not_each_look_back() -> None:
    tokens = Counted(tokenize("lambda:" * 1_000))
    assert not declarations(tokens, {}).functions
    assert tokens.looked < 50 * len(tokens)

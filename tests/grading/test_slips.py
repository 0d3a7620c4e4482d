"""What a beginner's slip is told: the sentence that tests/slips/README.md shows, at the line where the slip is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from onekernel.messages import LANGUAGES
from support.sample import representatives
from support.slips import Slip, slips, told

SLIPS = slips()
# Of each file and code one a day: all of them are graded by tests/slips/table.py, which writes the table. The fast ones
# are the same each day, without Triton, whose import takes seconds.
FIRST = representatives([{s.file, s.code} for s in SLIPS])
FAST = [n % 30 == 0 and n in FIRST and s.file.endswith(".cu") for n, s in enumerate(SLIPS)]
MARKS = [
    [] if fast else [pytest.mark.slow, pytest.mark.sample(classes={s.file, s.code})]
    for s, fast in zip(SLIPS, FAST, strict=True)
]


def masked(sentence: str) -> str:
    """Without numbers that another processor's rounding changes."""
    return re.sub(r"[\d.,]+(?:e[+-]?\d+)?|\binf\b|\bnan\b", "#", sentence)


@pytest.mark.parametrize("slip", [pytest.param(s, id=s.name, marks=m) for s, m in zip(SLIPS, MARKS, strict=True)])
def test_a_slip_gets_its_sentence_at_its_line(slip: Slip, tmp_path: Path) -> None:
    failure, line = slip.first(tmp_path)
    assert failure is not None, "it passes"
    assert failure.code == slip.code, str(failure.message)
    assert slip.at in line if slip.at else not line, (line, str(failure.message))
    for language in LANGUAGES:
        assert masked(told(failure, language)) == masked(slip.sentence(language))


def test_the_table_has_each_slip_once() -> None:
    assert len({s.name for s in SLIPS}) == len(SLIPS) >= 250
    for language in LANGUAGES:
        assert all(s.sentence(language) for s in SLIPS)


def test_no_slip_is_left_without_its_cause() -> None:
    for language, unexplained in {"en": "No known mistake", "es": "Ningún error conocido"}.items():
        assert [s.name for s in SLIPS if unexplained in s.sentence(language)] == []


@pytest.mark.slow
def test_a_tile_over_the_edge_is_told_and_ends_nothing(tmp_path: Path) -> None:
    """Its advice has values of its own: with those of the sentence around it, it held itself."""
    failure, _ = next(s for s in SLIPS if s.name == "gemm-a-turned").first(tmp_path)
    assert failure is not None and failure.code == "out-of-bounds-read"


def test_at_least_thirty_wrong_matrix_products_are_told_their_cause() -> None:
    """Not only that numbers differ: the mistake, or the line. Fragments, stages and barriers of buffers among them."""
    gemm = [s for s in SLIPS if s.file.startswith("gemm")]
    assert len(gemm) >= 60
    explained = {s.name for s in gemm}
    assert {"gemm-fragment-c-turned", "gemm-fragment-b-turned", "gemm-buffers-stale-stage", "gemm-buffers-no-barrier",
            "gemm-transpose-ignored", "gemm-no-beta", "gemm-fragment-sum-in-half", "gemm-tail-of-k-lost",
            "gemm-tail-of-n-unguarded", "gemm-tail-of-m-unguarded", "gemm-lda-is-k"} <= explained  # fmt: skip

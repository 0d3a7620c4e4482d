"""The table of what the simulator has of CUDA: no row without its proof."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.errors import UserError
from onekernel.simulator.read import records

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "en" / "simulator.md"


@pytest.mark.parametrize("lang", ["en", "es"])
def test_every_row_names_tests_that_are_there(lang: str) -> None:
    rows = records.support(lang, ROOT, PAGE)
    assert len(rows) > 20
    assert all("](../../tests/" in row for row in rows[2:])


@pytest.mark.parametrize(
    "shown", ["tests/unit/test_support_table.py::test_gone", "tests/nothing.cu", "tests/conftest.py::main"]
)
def test_a_row_without_its_test_is_refused(shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tmp_path / "support.toml"
    made.write_text(f'[a]\nstate = "works"\nwhat.en = "a"\nwhat.es = "a"\nshown = ["{shown}"]\n')
    monkeypatch.setattr(records, "SUPPORT", made)
    with pytest.raises(UserError) as caught:
        records.support("en", ROOT, PAGE)
    assert shown in caught.value.message.text("en")

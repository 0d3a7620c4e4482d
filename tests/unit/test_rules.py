"""One test of a rule names all that break it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import rules
from support.course import ROOT


def test_all_that_break_a_rule_are_named_with_what_was_found_and_what_to_do() -> None:
    def wrong(path: Path) -> list[str]:
        assert path.suffix, "no suffix"
        return [path.suffix] if path.suffix != ".md" else []

    with pytest.raises(AssertionError) as failure:
        rules.each([ROOT / "a.md", ROOT / "b.txt", ROOT / "c", ROOT / "docs" / "d.cu"], wrong, "rename it")
    said = str(failure.value).splitlines()
    assert said[0] == "3 of 4; rename it:" and said[1] == "  b.txt: ['.txt']"
    assert said[2].startswith("  c: AssertionError: no suffix") and "  docs/d.cu: ['.cu']" in said
    rules.each([ROOT / "a.md"], wrong, "rename it")


def test_a_rule_about_nothing_holds_nothing() -> None:
    with pytest.raises(AssertionError, match="nothing"):
        rules.each([], bool, "x")

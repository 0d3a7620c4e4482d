"""Numbers for a reader: the separators of the page's language, everywhere that a page is generated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from onekernel.bench.tables import _cell

ROOT = Path(__file__).resolve().parents[2]
TABLE = re.compile(r"<!-- table: \S+ -->\n(.*?)<!-- /table", re.S)
ENGLISH = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3}){2,}|[1-9]\d{0,2},000|\d+\.\d{1,2})(?![\w.,]*\w)")


@pytest.mark.parametrize(
    "text",
    ["torch 2.11.0, triton 3.6.0", "ncu 2025.3.1.0", "`62.6` and `a,000`", "F.softmax", "sm_90", "8192 x 4096", "x1.5"],
)
def test_versions_and_names_are_no_numbers(text: str) -> None:
    assert _cell(text, "es") == text


def test_a_text_keeps_everything_but_its_numbers() -> None:
    assert (
        _cell("**62,502 : 62,508** / 123, 256 x 1,024; +0.0 %", "es") == "**62.502 : 62.508** / 123, 256 x 1024; +0,0 %"
    )


def test_no_generated_part_of_a_spanish_page_has_english_numbers() -> None:
    parts = [(p, t) for p in sorted(ROOT.glob("docs/es/*.md")) for t in TABLE.findall(p.read_text(encoding="utf-8"))]
    parts += [(p, p.read_text(encoding="utf-8").split("##")[1]) for p in sorted(ROOT.glob("profiles/*/*.es.md"))]
    assert len(parts) > 10
    for page, text in parts:
        table = "\n".join(line for line in text.splitlines() if line.startswith("|"))
        assert not ENGLISH.findall(re.sub(r"`[^`]*`", "", table)), page
    english, spanish = (
        (ROOT / "profiles" / "h200" / f"softmax_tuned{end}").read_text(encoding="utf-8") for end in (".md", ".es.md")
    )
    shown = re.findall(r"\| ([\d,.]+ (?:µs|/ [\d,.]+)) \|", english)  # the duration, the conflicts
    other = str.maketrans(",.", ".,")
    assert len(shown) > 2 and all(f"| {value.translate(other)} |" in spanish for value in shown)

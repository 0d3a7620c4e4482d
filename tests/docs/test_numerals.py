"""Numbers for a reader: the separators of the page's language, everywhere that a page is generated."""

from __future__ import annotations

import re
from pathlib import Path

from audits.words import in_numbers

ROOT = Path(__file__).resolve().parents[2]
TABLE = re.compile(r"<!-- table: \S+ -->\n(.*?)<!-- /table", re.S)
ENGLISH = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3}){2,}|[1-9]\d{0,2},000|\d+\.\d{1,2})(?![\w.,]*\w)")


def test_a_cell_of_numbers_is_kept_in_each_language() -> None:
    assert in_numbers("**{:,} : {:,}** / {:,}", 62502, 62508, 123) == {
        "en": "**62,502 : 62,508** / 123", "es": "**62.502 : 62.508** / 123",
    }  # fmt: skip
    assert in_numbers("{:+.1f} %", 0.04) == {"en": "+0.0 %", "es": "+0,0 %"}
    assert in_numbers("{} / {:,}", 1, 999) == "1 / 999"


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

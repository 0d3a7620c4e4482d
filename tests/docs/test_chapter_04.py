"""Chapter 04: every piece of Python runs, in order, and prints what the page says; both languages show one code."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from audits.book import tables
from support.spanish_code import spanish

ROOT = Path(__file__).parents[2]
PAGES = {(lang, name): ROOT / "docs" / lang / f"{name}.md" for lang in ("en", "es") for name in (
    "04-pytorch-as-substrate", "04-porting-a-model")}  # fmt: skip
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')


def blocks(page: tuple[str, str]) -> list[tuple[str, str]]:
    """(kind, text) of every fenced block of the page, in order."""
    return FENCE.findall(PAGES[page].read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=" ".join)
@pytest.mark.slow
def test_every_snippet_runs_and_prints_what_the_page_says(page):
    fenced = blocks(page)
    assert sum(kind == "python" for kind, _ in fenced) >= 5
    names: dict[str, object] = {}
    for i, (kind, text) in enumerate(fenced):
        if kind != "python":
            continue
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(text, f"{page} block {i}", "exec"), names)
        said = fenced[i + 1][1] if i + 1 < len(fenced) and fenced[i + 1][0] == "text" else ""
        assert printed.getvalue() == said, text


def test_both_languages_show_the_same_code_and_anchors():
    for name in {name for _, name in PAGES}:
        assert [(kind, spanish(text)) for kind, text in blocks(("en", name))] == blocks(("es", name))
        anchors = [ANCHOR.findall(PAGES[lang, name].read_text(encoding="utf-8")) for lang in ("en", "es")]
        assert anchors[0] == anchors[1] and len(set(anchors[0])) == len(anchors[0]) >= 3


def test_the_table_comes_from_the_newest_record():
    found = {p.parent.name: json.loads(p.read_text()) for p in ROOT.glob("bench/results/*/byte_identity.json")}
    newest = max(found, key=lambda folder: (found[folder]["gpu"] is not None, found[folder]["date"]))
    for page in (PAGES[lang, "04-porting-a-model"] for lang in ("en", "es")):
        text = page.read_text(encoding="utf-8")
        assert f"<!-- table: {newest}/byte_identity/operators -->" in text
        assert tables.filled(text, page, ROOT) == text, "run python -m audits.book tables"

"""Every page exists in English and in Spanish, and each Spanish page knows the English text that it translates."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from onekernel.author.generated import hash_of, pairs, stamp_of
from onekernel.course import find_root
from support import rules

ROOT = find_root(Path(__file__).parent)
PAIRS = list(pairs(ROOT))


def test_the_spanish_page_translates_the_english_one_of_today() -> None:
    def stale(pair: tuple[Path, Path]) -> str:
        spanish, english = pair
        if not english.is_file():
            return "translates a page that is not there"
        return "" if stamp_of(spanish) == hash_of(english) else "is stamped for another English text"

    rules.each(PAIRS, stale, "update the translation, then: onekernel author stamp")


def test_every_english_page_has_a_spanish_sibling() -> None:
    translated = {english for _, english in PAIRS}
    pages = {*(ROOT / "docs" / "en").rglob("*.md"), ROOT / "README.md"}
    pages |= {p for p in (ROOT / "labs").rglob("*.md") if not p.name.endswith(".es.md")}
    pages |= {p for p in (ROOT / "profiles").glob("*.md") if not p.name.endswith(".es.md")}
    assert sorted(str(p.relative_to(ROOT)) for p in pages - translated) == []


COMMENT = re.compile(r"(?://|#) (.*)$", re.M)
ENGLISH = re.compile(r"\b(?:the|is|are|of|and|with|this|which|from|each|not|by)\b")


def test_code_in_a_spanish_page_has_no_english_comment() -> None:
    """Files of the repository, which contributing.md shows whole, keep theirs."""

    def comments(page: Path) -> set[str]:
        text = re.sub(r"<!-- (?:file|append): .*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        code = re.findall(r"^```\w+\n.*?^```$|^ {4}[^\n]*$", text, re.M | re.S)
        return {said for said in COMMENT.findall("\n".join(code)) if ENGLISH.search(said) and " " in said}

    rules.each(PAIRS, lambda pair: comments(pair[0]) & comments(pair[1]), "translate these comments in the code")


def test_both_pages_have_the_same_anchors_and_headings() -> None:
    def shape(path: Path) -> list[str]:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith('<a id="')] + [str(sum(x.startswith("## ") for x in lines))]

    def differing(pair: tuple[Path, Path]) -> list[str]:
        return list(difflib.unified_diff(*map(shape, pair), "Spanish", "English", lineterm="", n=0))

    rules.each(PAIRS, differing, "both languages have the same anchors, in order, and as many headings")

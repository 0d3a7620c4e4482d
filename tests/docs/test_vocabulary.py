"""One Spanish word a term: what docs/es/style.md rules out stands in no text that a reader sees."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import audits  # noqa: F401  its sentences, too
from onekernel import comments, messages
from support import rules
from support.drawings import told_in_drawings

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "es" / "style.md"
WRITTEN = ("docs/es/*.md", "labs/**/*.es.md", "profiles/**/*.es.md", "learners/borja/*.es.md", "README.es.md")
CODE = re.compile(r"^```.*?^```$|^    [^\n]*$|`[^`\n]*`|\]\([^)]*\)", re.M | re.S)
AREAS = sorted(p.stem for p in Path(messages.__file__).parent.glob("*.toml"))


def rows(page: Path) -> list[list[str]]:
    """The list's lines: English, Spanish, what is ruled out."""
    table = page.read_text(encoding="utf-8").split("| inglés | español | no |\n")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]


RULED_OUT = [word.strip().lower() for *_, words in rows(LIST) for word in words.split(",") if word.strip()]
INSTEAD = "docs/es/style.md lists the term to write instead of"
PAGES = sorted({page for kind in WRITTEN for page in ROOT.glob(kind)})


def wrong(text: str) -> list[str]:
    plain = " ".join(text.lower().split())
    # The text is asked first: a search of every page for every word takes twenty times as long.
    return [w for w in RULED_OUT if w in plain and re.search(rf"(?<!\w){re.escape(w)}", plain)]


def test_the_list_rules_words_out() -> None:
    assert len(rows(LIST)) > 15 and "traspuest" in RULED_OUT
    assert wrong("un peso  TRASPUESTO") == ["traspuest"] and not wrong("un peso transpuesto")
    assert wrong("el softmax\nen línea") == ["softmax en línea"]


def ruled_out(text: str) -> list[str]:
    return wrong(CODE.sub(" ", text))


def test_a_spanish_page_uses_the_terms_of_the_list() -> None:
    def found(page: Path) -> list[str]:
        text = page.read_text(encoding="utf-8")
        if page == LIST:
            text = text.replace(text.split("| inglés | español | no |\n")[1].split("\n\n")[0], "")
        return ruled_out(text)

    rules.each(PAGES, found, INSTEAD)


def test_a_spanish_message_uses_the_terms_of_the_list() -> None:
    said = [(area, key, texts["es"]) for area in AREAS for key, texts in messages.area(area).items()]
    rules.each(said, lambda message: ruled_out(message[2]), INSTEAD)


def test_a_drawing_uses_the_terms_of_the_list() -> None:
    rules.each(told_in_drawings(), lambda told: ruled_out(told[2][1]), INSTEAD)


RECORDS = ("bench/results/*/*.json", "labs/*/lab.toml", "labs/practice/*/exercise.toml", "src/**/findings.toml")
KEPT = sorted(path for kind in RECORDS for path in ROOT.glob(kind))


def spanish(kept: Any) -> Iterator[str]:
    """Every Spanish text in a file of records: what stands under "es", however deep."""
    if isinstance(kept, dict):
        for key, value in kept.items():
            yield from [value] if key == "es" and isinstance(value, str) else spanish(value)
    elif isinstance(kept, list):
        for value in kept:
            yield from spanish(value)


def test_spanish_texts_are_found_however_deep() -> None:
    assert list(spanish({"a": [{"en": "x", "es": "y"}], "es": {"es": "z"}})) == ["y", "z"]


def test_titles_captions_and_findings_use_the_terms_of_the_list() -> None:
    def found(path: Path) -> dict[str, list[str]]:
        text = path.read_text(encoding="utf-8")
        kept = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
        return {said: words for said in spanish(kept) if (words := ruled_out(said))}

    rules.each(KEPT, found, INSTEAD)


def test_spanish_starters_use_the_terms_of_the_list() -> None:
    def found(path: Path) -> dict[str, list[str]]:
        said = comments.table(path).values()
        assert len(said) > 50
        return {line: words for line in said if (words := ruled_out(line))}

    rules.each([*ROOT.glob("solutions/starters.es.txt"), *ROOT.glob("labs/*/starters.es.txt")], found, INSTEAD)

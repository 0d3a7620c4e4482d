"""One Spanish word a term: what docs/es/architecture.md rules out stands in no text that a reader sees."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onekernel import comments, messages
from onekernel.book import drawings

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "es" / "architecture.md"
WRITTEN = ("docs/es/*.md", "labs/**/*.es.md", "profiles/**/*.es.md", "learners/borja/*.es.md", "README.es.md")
CODE = re.compile(r"^```.*?^```$|^    [^\n]*$|`[^`\n]*`|\]\([^)]*\)", re.M | re.S)
AREAS = sorted(p.stem for p in Path(messages.__file__).parent.glob("*.toml"))


def rows(page: Path) -> list[list[str]]:
    """The list's lines: English, Spanish, what is ruled out."""
    table = page.read_text(encoding="utf-8").split("| inglés | español | no |\n")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]


RULED_OUT = [word.strip() for *_, words in rows(LIST) for word in words.split(",") if word.strip()]
PAGES = sorted({page for kind in WRITTEN for page in ROOT.glob(kind)})


def wrong(text: str) -> list[str]:
    plain = " ".join(text.split())
    return [w for w in RULED_OUT if re.search(rf"(?<!\w){re.escape(w)}", plain, re.IGNORECASE)]


def test_the_list_rules_words_out() -> None:
    assert len(rows(LIST)) > 15 and "traspuest" in RULED_OUT
    assert wrong("un peso  TRASPUESTO") == ["traspuest"] and not wrong("un peso transpuesto")
    assert wrong("el softmax\nen línea") == ["softmax en línea"]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_spanish_page_uses_the_terms_of_the_list(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page == LIST:
        text = text.replace(text.split("| inglés | español | no |\n")[1].split("\n\n")[0], "")
    assert not wrong(CODE.sub(" ", text))


@pytest.mark.parametrize("area", AREAS)
def test_a_spanish_message_uses_the_terms_of_the_list(area: str) -> None:
    found = {key: w for key, said in messages.area(area).items() if (w := wrong(CODE.sub(" ", said["es"])))}
    assert not found


@pytest.mark.parametrize("name", drawings.NAMES)
def test_a_drawing_uses_the_terms_of_the_list(name: str) -> None:
    told = next(drawings.words(m)[name] for m in drawings.MODULES if name in m.DRAWINGS)
    assert not {key: w for key, (_, spanish) in told.items() if (w := wrong(CODE.sub(" ", spanish)))}


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


@pytest.mark.parametrize("path", KEPT, ids=lambda p: str(p.relative_to(ROOT)))
def test_titles_captions_and_findings_use_the_terms_of_the_list(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    kept = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    assert not {said: w for said in spanish(kept) if (w := wrong(CODE.sub(" ", said)))}


SAID_IN_STARTERS = [*ROOT.glob("solutions/starters.es.txt"), *ROOT.glob("labs/*/starters.es.txt")]


@pytest.mark.parametrize("path", SAID_IN_STARTERS, ids=lambda p: str(p.relative_to(ROOT)))
def test_spanish_starters_use_the_terms_of_the_list(path: Path) -> None:
    said = comments.table(path).values()
    assert len(said) > 50 and not {line: w for line in said if (w := wrong(CODE.sub(" ", line)))}

"""Words that readers stumbled over stand in no page and no message: "fix", not "mend"; "per", not "a"; "as a percentage
of", not "in percent of"; in Spanish what `WORDS` lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import audits  # noqa: F401  its sentences, too
from onekernel import comments, messages
from support import rules
from support.drawings import told_in_drawings

ROOT = Path(__file__).resolve().parents[2]
COUNTED = "sectors|requests|barriers|registers|bytes|elements|instructions|wavefronts|loads|stores|exponentials|threads"
SHARED_OUT = "request|row|thread|lane|block|program|element|access|instruction|warp|cycle|second|multiprocessor|SM|call"
STYLE = {lang: ROOT / "docs" / lang / "style.md" for lang in messages.LANGUAGES}


def pairs(lang: str) -> list[list[str]]:
    """The style page's rows: before, after, pattern or nothing. A `|` in a pattern is written as `\\|`."""
    page = STYLE[lang].read_text(encoding="utf-8").split('<a id="terms">')[0]
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


WORDS = {lang: [pattern.strip("`") for *_, pattern in pairs(lang) if pattern] for lang in messages.LANGUAGES}
# "per", not "a": what is counted, and what it is shared out over.
WORDS["en"].append(rf"\b(?:{COUNTED}) (?-i:an?) (?:{SHARED_OUT})\b(?!-)(?! of the output costs)(?! \(or)")
# An order that reads as a noun or as a statement: "Pregunta warp por warp", "Cuenta la mejor puntuación".
WORDS["es"].append(r"(?-i:(?:^|[.:;] )(?:Pregunta|Cuenta) (?!de accesos)[a-zñáéíóú])")
# Commas between numbers that have decimal commas: 989,4, 7,4.
WORDS["es"].append(r"\d,\d+(?: [%a-zA-Zµ/]+)?, (?:y |o )?\d+,\d")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`|\{\w+[^{}]*\}|\{\w+[^{}]*\}|\]\([^)]*\)|^<!-- below.*\Z", re.M | re.S)
PAGES = sorted(
    path
    for kind in ("README*.md", "docs/*/*.md", "labs/**/*.md", "profiles/**/*.md", "learners/borja/*.md")
    for path in ROOT.glob(kind)
)


def wrong(text: str, lang: str) -> list[str]:
    plain = " ".join(CODE.sub(" ", text).split())
    return [found[0] for pattern in WORDS[lang] for found in re.finditer(pattern, plain, re.IGNORECASE)]


def test_the_list_finds_what_it_names() -> None:
    assert wrong("The line says the mend: 4 sectors a\nrequest, in percent of a copy.", "en") == [
        "mend", "in percent of", "sectors a request",
    ]  # fmt: skip
    assert not wrong("`mend`, 4 sectors per request, threads, a grid", "en")
    assert wrong("Te comprometes, y lo enseña", "es") == ["compromet", "lo enseña"]


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_the_style_page_has_twenty_pairs_and_each_pattern_finds_its_own_before(lang: str) -> None:
    rows = pairs(lang)
    assert len(rows) >= 20 and len({before for before, *_ in rows}) == len(rows)
    for before, after, pattern in rows:
        assert before != after
        if pattern:
            found = re.compile(pattern.strip("`"), re.IGNORECASE)
            assert found.search(before) and not found.search(after), before


INSTEAD = "docs/en/style.md and docs/es/style.md say what to write instead of"


def test_a_page_has_none_of_them() -> None:
    def found(page: Path) -> list[str]:
        spanish = page.name.endswith(".es.md") or page.parent.name == "es"
        return wrong(page.read_text(encoding="utf-8"), "es" if spanish else "en")

    rules.each([p for p in PAGES if p not in STYLE.values()], found, INSTEAD)


BLOCKS = re.compile(r"^```.*?^```$|^ {4,}[^\n]*$|^\|[^\n]*$|`[^`\n]*`|\]\([^)]*\)|!\[[^\n]*|<!--.*?-->", re.M | re.S)
FORMULA = re.compile(r"[\d.,]+(?:e-?\d+)?(?: [A-Za-z/µ]+)? [x/·] [\d.,][^.;:\n]{0,60}? = [\d.,]+")
CHAPTERS = [p for p in PAGES if re.match(r"0\d-", p.name) or p.name == "measuring.md"]


def test_a_formula_in_a_sentence_is_found() -> None:
    assert FORMULA.search("An SM needs 4.8e12 x 600e-9 = 2.9 MB of it.") and FORMULA.search("8 / 22 = 37 %")
    assert not FORMULA.search("a tile of 128 x 128") and not FORMULA.search(BLOCKS.sub(" ", "    8 / 22 = 37 %"))


def test_no_formula_stands_in_a_sentence() -> None:
    def formulas(page: Path) -> list[str]:
        return [found[0] for found in FORMULA.finditer(BLOCKS.sub(" ", page.read_text(encoding="utf-8")))]

    rules.each(CHAPTERS, formulas, "a formula has a line of its own, indented")


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_a_message_has_none_of_them(lang: str) -> None:
    said = [(area, key, texts[lang]) for area in messages.areas() for key, texts in messages.area(area).items()]
    rules.each(said, lambda message: wrong(message[2], lang), INSTEAD)


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_a_drawing_has_none_of_them(lang: str) -> None:
    at = messages.LANGUAGES.index(lang)
    rules.each(told_in_drawings(), lambda told: wrong(told[2][at], lang), INSTEAD)


def test_a_spanish_starter_has_none_of_them() -> None:
    paths = [*ROOT.glob("solutions/**/*.es.txt"), *ROOT.glob("labs/*/*.es.txt")]
    lines = [(path, line) for path in paths for line in comments.table(path).values()]
    assert {path for path, _ in lines} == set(paths)
    rules.each(lines, lambda line: wrong(line[1], "es"), INSTEAD)

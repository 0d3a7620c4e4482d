"""Drawings: what the code draws is what is committed; readable, in both themes, and told in words where not seen."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import product
from pathlib import Path

import pytest

from audits.book import drawings
from audits.book.drawings import ladder, memory, reduction, warp
from audits.book.drawings.canvas import INK, PAGE, PALETTE, SMALLEST, WIDTH, Canvas
from onekernel.messages import LANGUAGES
from support import rules

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
EACH = list(product(drawings.NAMES, LANGUAGES))


def test_every_drawing_is_what_its_code_draws() -> None:
    assert [str(p) for p in drawings.refresh(ROOT, check=True)] == []
    assert len(drawings.NAMES) == len(set(drawings.NAMES)) >= 30


def test_a_drawing_stands_alone_and_tells_what_it_shows() -> None:
    def wrong(drawing: tuple[str, str]) -> None:
        name, lang = drawing
        text = drawings.svg(name, lang)
        assert text == drawings.svg(name, lang)
        root = ET.fromstring(text)
        title, about = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
        assert root.get("role") == "img" and root.get("lang") == lang
        assert title is not None and title.text and about is not None and len(about.text or "") > 60
        assert "prefers-color-scheme: dark" in text and "sans-serif" in text
        assert not re.findall(r"(?:href|src|url)\s*[=(]\s*[\"']?(?:https?:|//|data:)", text)
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', text)]
        assert sizes and min(sizes) >= SMALLEST and root.get("viewBox", "").split()[2] == str(WIDTH)

    rules.each(EACH, wrong, "a drawing needs no other file, is read in both themes and told in words")


def test_a_drawing_is_shown_in_a_page_of_its_language() -> None:
    written = {lang: "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs" / lang).glob("*.md"))
               for lang in LANGUAGES}  # fmt: skip

    def missing(drawing: tuple[str, str]) -> str:
        name, lang = drawing
        file = name + (".svg" if lang == "en" else f".{lang}.svg")
        line = f"![{drawings.about(name, lang)}](../img/{file})"
        return "" if line in written[lang] else line

    rules.each(EACH, missing, "show the drawing in a page with this line, which python -m audits.book drawings keeps")


def test_no_drawing_is_left_over() -> None:
    shown = {f"{name}{end}" for name in drawings.NAMES for end in (".svg", ".es.svg")}
    for page in ("README.md", "README.es.md"):  # the front page's recording
        shown |= set(re.findall(r"docs/img/([\w.-]+\.svg)", (ROOT / page).read_text(encoding="utf-8")))
    assert {p.name for p in (ROOT / "docs" / "img").glob("*.svg")} == shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_words_of_both_languages_are_there_and_differ_only_where_they_may(lang: str) -> None:
    for module in drawings.MODULES:
        for name, told in drawings.words(module).items():
            assert name in module.DRAWINGS and all(len(pair) == 2 and all(pair) for pair in told.values()), name
            assert told["about"][0] != told["about"][1] and told["title"][0] != told["title"][1]


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [0, 1])
def test_ink_is_read_on_every_fill_of_both_themes(dark: int) -> None:
    def contrast(a: str, b: str) -> float:
        high, low = sorted((luminance(a), luminance(b)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    for fill in (PAGE[dark], *(four[2 * dark] for four in PALETTE.values())):
        assert contrast(INK["ink"][dark], fill) >= 7, fill
    assert contrast(INK["faint"][dark], PAGE[dark]) >= 4.5


def test_a_text_without_room_is_refused() -> None:
    canvas = Canvas(100, "title", "about", "en")
    canvas.text(195, 50, "short")
    refused = ((195, 50, "long " * 30, 12), (380, 50, "at the edge", 12), (195, 50, "small", 8), (9, 120, "low", 12))
    for x, y, text, size in refused:
        with pytest.raises(ValueError, match="no room"):
            canvas.text(x, y, text, size)
    with pytest.raises(ValueError, match="leaves the drawing"):
        canvas.box(380, 10, 40, 10)


def test_what_a_drawing_counts_is_what_the_simulator_counts() -> None:
    """The chapter's table of sectors, Little's law, and two groupings that agree in exact arithmetic alone."""
    ways = ([4 * i for i in range(32)], [4 * i + 4 for i in range(32)], [8 * i for i in range(32)], [0] * 32)
    assert [len(warp.sectors_of(addresses)) for addresses in ways] == [4, 5, 8, 1]
    assert pytest.approx(21.8, abs=0.1) == memory.NEEDED
    a, b, c = reduction.differing_parts()
    left, right = reduction.join(reduction.join(a, b), c), reduction.join(a, reduction.join(b, c))
    assert left[0] == right[0] and left[1] != right[1] and left[1] == pytest.approx(right[1], rel=1e-6)


def test_the_map_of_the_ladder_says_what_the_rungs_say() -> None:
    """Who shares a row and how often it is read: the first ledger of each rung's header."""
    for number, (who, _, reads, _) in enumerate(ladder.RUNGS, 1):
        (rung,) = (ROOT / "solutions" / "ladder").glob(f"{number}_*.cu")
        text = rung.read_text(encoding="utf-8")
        ledger = re.search(r"^// Ledger[^:]*: reads (\d+)", text, re.M)
        assert ledger is not None and int(ledger[1]) == reads, rung.name
        assert who == "any" or f"// Work: row per {who}\n" in text, rung.name

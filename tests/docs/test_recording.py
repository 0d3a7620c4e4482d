"""The recording on the front page shows what the commands print today, in both languages."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from audits.book import recording
from audits.book.recording import Step
from onekernel.messages import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.slow
def test_the_recording_is_what_the_commands_print() -> None:
    assert recording.refresh(ROOT, check=True) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_session_is_told_in_words_and_fits_its_frame(lang: str) -> None:
    tree = ET.parse(ROOT / "docs" / "img" / ("session.svg" if lang == "en" else "session.es.svg")).getroot()
    width, height = (float(tree.attrib[side]) for side in ("width", "height"))
    texts = tree.findall(f".//{SVG}text")
    assert len(texts) > 40 and "vector_add" in (tree.findtext(f"{SVG}desc") or "")
    assert all(float(t.attrib["x"]) + float(t.attrib["textLength"]) <= width for t in texts)
    assert all(float(t.attrib["y"]) < height for t in texts)


def test_colours_and_marks_of_a_terminal_become_text() -> None:
    drawn = recording.drawn([[Step("ls", "\x1b[31m✗ \x1b[0m\x1b[1ma < b\x1b[0m", 0.3, 1.0)]], "en")
    texts = {t.text: t.attrib.get("class") for t in ET.fromstring(drawn).iter(f"{SVG}text")}
    assert texts == {"$": "green", "ls": "bold", "✗": "red", "a < b": "bold"}


def test_a_starter_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="not the one"):
        recording._first_try("__global__ void other() {}\n")

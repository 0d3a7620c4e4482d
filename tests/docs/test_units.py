"""Numbers for a reader: the separators of the page's language, everywhere that a page is generated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onekernel.errors import UserError
from onekernel.units import in_language, number, parse, show

ROOT = Path(__file__).resolve().parents[2]
TABLE = re.compile(r"<!-- table: \S+ -->\n(.*?)<!-- /table", re.S)
ENGLISH = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3}){2,}|[1-9]\d{0,2},000|\d+\.\d{1,2})(?![\w.,]*\w)")


@pytest.mark.parametrize(
    ("value", "spec", "spanish"),
    [
        (404193, ",.0f", "404.193"),
        (3648225, ",", "3.648.225"),
        (1024, ",", "1024"),
        (62.6, ".1f", "62,6"),
        (1234567.5, ",.1f", "1.234.567,5"),
        (7, ",", "7"),
        (1.5e-12, ".1e", "1,5e-12"),
        (-0.25, ".2f", "-0,25"),
    ],
)
def test_a_number_has_the_separators_of_its_language(value: float, spec: str, spanish: str) -> None:
    assert number(value, spec, "es") == spanish
    assert number(value, spec, "en") == format(value, spec)


@given(st.floats(-1e15, 1e15).map(lambda x: round(x, 2)))
def test_a_spanish_number_reads_back(value: float) -> None:
    text = number(value, ",.2f", "es")
    assert float(text.replace(".", "").replace(",", ".")) == value


@pytest.mark.parametrize(
    "text",
    ["torch 2.11.0, triton 3.6.0", "ncu 2025.3.1.0", "`62.6` and `a,000`", "F.softmax", "sm_90", "8192 x 4096", "x1.5"],
)
def test_versions_and_names_are_no_numbers(text: str) -> None:
    assert in_language(text, "es") == text


def test_a_text_keeps_everything_but_its_numbers() -> None:
    assert in_language("**62,502 : 62,508** / 123, 256 x 1,024; +0.0 %", "es") == (
        "**62.502 : 62.508** / 123, 256 x 1024; +0,0 %"
    )
    assert show(100663296, "B") == "100.7 MB" and show(100663296, "B", "es") == "100,7 MB"


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
    assert len(shown) > 2 and all(f"| {in_language(value, 'es')} |" in spanish for value in shown)


@pytest.mark.parametrize(
    ("text", "said"), [("many", "no es un número con unidad"), ("3 parsec", "no se conoce la unidad")]
)
def test_a_text_that_is_no_quantity_is_told_in_spanish_too(text: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(text)
    assert said in refused.value.message.text("es")
    assert text.split()[-1] in refused.value.message.text("en")

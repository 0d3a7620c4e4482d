"""Any single name, number or anchor of a lab.toml, spoiled: a sentence with file, line and the nearest right name."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from onekernel import checks
from onekernel.checks.answers.right import FORECASTS
from onekernel.checks.answers.right import names as answers
from onekernel.checks.measures import MEASURES
from onekernel.checks.port import PARTS
from onekernel.checks.prediction import QUANTITIES
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.minigpt import port_request
from onekernel.ops import OPERATORS
from onekernel.ops.base import DTYPES

ROOT = find_root(Path(__file__).parent)
LABS = sorted(p.parent.name for p in (ROOT / "labs").glob("*/lab.toml"))
_STRING = re.compile(r'"([^"]*)"')
_KEY = re.compile(r'(?<![\w"#-])([A-Za-z_][\w-]*)(?=\s*=)')
_NUMBER = re.compile(r'(?<![\w"-])\d[\d_.]*(?![\w"])')
_HEADER = re.compile(r"\[\[([\w.]+)\]\]")
NO_NUMBERS = ("-1", '"4"', "true", "nan", "inf", "-inf", "[1]", "{ n = 1 }", "1979-05-27", "-0.5")
NO_COUNTS = (*NO_NUMBERS, "0", "1.5", "10_000_000_000")  # what is no number of points, and no size


@dataclass(frozen=True)
class Place:
    """A name or a number of a lab.toml: line, first and last column, what is written there."""

    lab: str
    line: int
    start: int
    end: int
    kind: str  # "key", "name", "number", "count"
    text: str


def places(lab: str) -> list[Place]:
    """Every name and number, and no phrase: titles are for readers."""
    found = []
    for number, line in enumerate((ROOT / "labs" / lab / "lab.toml").read_text(encoding="utf-8").splitlines(), 1):
        code = line.split("#")[0] if line.startswith("#") else line
        spans = [("key", m.span(1)) for m in _KEY.finditer(_STRING.sub(lambda m: "'" * len(m[0]), code))]
        spans += [("key", m.span(1)) for m in _HEADER.finditer(code)]
        if not code.startswith("title"):
            for m in _STRING.finditer(code):
                at = m.start(1)
                for part in m[1].split("#"):  # page, anchor
                    spans.append(("name", (at, at + len(part))))
                    at += len(part) + 1
            plain = _STRING.sub(lambda m: "'" * len(m[0]), code)
            count = code.startswith(("points", "sizes", "long"))
            spans += [("count" if count else "number", m.span()) for m in _NUMBER.finditer(plain)]
        found += [Place(lab, number, a, b, kind, line[a:b]) for kind, (a, b) in spans]
    return found


PLACES = [place for lab in LABS for place in places(lab)]
NUMBERS = [p for p in PLACES if p.kind in ("number", "count")]


def known_names() -> set[str]:
    """Whatever is right somewhere: what a spoiled name may happen to be."""
    pages = sorted((ROOT / "docs" / "en").glob("*.md"))
    anchors = {a for p in pages for a in re.findall(r'<a id="([^"]+)">', p.read_text(encoding="utf-8"))}
    files = [*(ROOT / "solutions").iterdir()]
    names = {p.stem for p in pages} | {p.name for p in files} | {p.stem for p in files} | anchors
    names |= {p.text for p in PLACES if p.kind in ("key", "name")}
    names |= {*OPERATORS, *DTYPES, *MEASURES, *QUANTITIES, *answers(), *FORECASTS, *PARTS, *checks.names()}
    names |= {"elective", "check", *(name for kind in checks.names() for name in checks.named(kind).options)}
    return names | {c.group for o in OPERATORS.values() for c in o.cases}


KNOWN = known_names()


def spoil(text: str, place: Place, with_what: str) -> str:
    lines = text.splitlines(keepends=True)
    line = lines[place.line - 1]
    lines[place.line - 1] = line[: place.start] + with_what + line[place.end :]
    return "".join(lines)


@st.composite
def spoiled_names(draw: st.DrawFn) -> tuple[Place, str]:
    """A name with one character changed, put in or left out, or another name altogether."""
    place = draw(st.sampled_from([p for p in PLACES if p.kind in ("key", "name")]))
    letter = draw(st.sampled_from("abcdefghijklmnopqrstuvwxyzAEIOU_-0123456789"))
    at = draw(st.integers(0, max(len(place.text) - 1, 0)))
    left_out, rest = draw(st.booleans()), place.text[at + 1 :]
    changed = place.text[:at] + ("" if left_out else letter) + draw(st.sampled_from([rest, place.text[at:]]))
    other = draw(st.text("abcxyz_", min_size=1, max_size=12))
    name = draw(st.sampled_from([changed, other]))
    assume(name not in KNOWN and (name or place.kind == "name"))
    return place, name


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one lab, which each example writes anew."""
    root = tmp_path_factory.mktemp("course")
    for shared in ("docs", "solutions", "kernels"):
        (root / shared).symlink_to(ROOT / shared)
    return root


def refused(course: Path, place: Place, with_what: str) -> UserError:
    folder = course / "labs" / place.lab
    shutil.rmtree(course / "labs", ignore_errors=True)
    shutil.copytree(ROOT / "labs" / place.lab, folder)
    path = folder / "lab.toml"
    path.write_text(spoil(path.read_text(encoding="utf-8"), place, with_what), encoding="utf-8")
    with pytest.raises(UserError) as error:
        load(course)
    for lang in ("en", "es"):
        assert f"{path}:{place.line}: " in error.value.message.text(lang), error.value.message.text(lang)
    return error.value


def test_a_lab_s_own_lines_come_before_those_of_its_folders(course: Path) -> None:
    place = next(p for p in PLACES if p.lab == "practice" and p.text == "title")
    assert "aitle" in refused(course, place, "aitle").message.text("en")


def test_there_is_something_to_spoil() -> None:
    kinds = {kind: sum(p.kind == kind for p in PLACES) for kind in ("key", "name", "number", "count")}
    assert min(kinds.values()) > 10, kinds
    for lab in LABS:
        text = (ROOT / "labs" / lab / "lab.toml").read_text(encoding="utf-8")
        assert all(spoil(text, p, p.text) == text for p in places(lab))


@pytest.mark.slow
@settings(max_examples=200)
@given(spoiled_names())
def test_a_spoiled_name_is_told_with_the_nearest_right_one(course: Path, spoiled: tuple[Place, str]) -> None:
    place, name = spoiled
    error = refused(course, place, name)
    told = error.message.text("en")
    assert repr(name) in told or f'"{name}"' in told, told
    (near,) = re.findall(r"the nearest is (\S+?)[.;]?(?: |$)", told)
    assert near.strip("[]") in KNOWN, told
    assert near in error.message.text("es")


def test_a_name_that_is_no_identifier_has_a_nearest_one_too(course: Path) -> None:
    place = next(p for p in PLACES if p.lab == "06-gemm" and p.text == "writes")
    assert "the nearest is writes" in refused(course, place, "-rites").message.text("en")


@pytest.mark.slow
@settings(max_examples=200)
@given(st.sampled_from(NUMBERS), st.data())
def test_a_number_of_the_wrong_type_or_range_is_told_with_the_right_one(
    course: Path, place: Place, data: st.DataObject
) -> None:
    wrong = data.draw(st.sampled_from(NO_COUNTS if place.kind == "count" else NO_NUMBERS))
    told = refused(course, place, wrong).message
    assert "write " in told.text("en") and "escribe " in told.text("es"), told.text("en")


def test_full_points_are_for_less(course: Path) -> None:
    (place,) = (p for p in places("00-hello-cuda") if p.kind == "number" and p.text == "1.01")
    assert "less is better" in refused(course, place, "2.5").message.text("en")


def test_the_parts_of_a_port_are_those_that_can_be_asked() -> None:
    assert PARTS == port_request.PARTS

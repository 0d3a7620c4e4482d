"""The corpus of audits/wrong_files: what it says of itself, and that the graders refuse what it holds."""

from __future__ import annotations

from typing import Any

import pytest

from audits import records
from audits.wrong_files.corpus import BASES, FILES, TOLD, WrongFile, bases, wrong_files
from audits.wrong_files.run import of_base, of_file
from support.course import COURSE, ROOT

EVERY = wrong_files()
RECORDED = records.read(records.results(ROOT) / "cpu" / "wrong_files.json")["files"]


def test_each_file_is_made_from_a_base_by_edits_that_fit() -> None:
    for each in EVERY:
        text = each.text()  # raises where an edit's old text is not there, or more than once
        assert text != (BASES / each.base).read_text(encoding="utf-8"), each.name
        assert text.count(each.line) == 1, (each.name, each.line)


def test_no_two_files_are_the_same_and_each_answers_an_exercise() -> None:
    assert len({e.name for e in EVERY}) == len({e.text() for e in EVERY}) == len(EVERY) >= 150
    assert {p.stem for p in FILES.iterdir()} <= {*COURSE.exercises}
    assert {p.name for p in BASES.iterdir()} == {*bases()}
    assert {(e.base, e.exercise) for e in EVERY} == {*bases().items()}  # a base answers one exercise


def test_what_is_judged_is_recorded() -> None:
    judged = [e for e in EVERY if e.told is not None]
    assert {e.told for e in judged} <= {*TOLD} and all(e.codes or e.told == "none" for e in judged)
    assert {e.name for e in judged} == {*RECORDED}
    assert all(e.mistake.endswith(".") for e in EVERY)


@pytest.mark.slow
@pytest.mark.parametrize("base", [pytest.param(b, id=b, marks=pytest.mark.sample(every=8)) for b in sorted(bases())])
def test_a_base_is_right(base: str) -> None:
    assert of_base(ROOT, base)


def graded(each: WrongFile) -> Any:
    """Of each exercise one a day; audits/wrong_files grades them all. One that is known to pass must go on doing so
    until its record says otherwise."""
    marks = [pytest.mark.sample(classes={each.exercise})]
    if not RECORDED[each.name]["refused"]:
        marks.append(pytest.mark.xfail(reason="no input shows it", strict=True))
    return pytest.param(each, id=each.name, marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("each", [graded(e) for e in EVERY if e.name in RECORDED])
def test_a_wrong_file_is_refused(each: WrongFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_NVCC", "off")
    assert of_file(ROOT, each)["refused"], each.mistake

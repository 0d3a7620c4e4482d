"""What a submission wrote is read apart: a file that ends the parser costs its own points, and nothing else."""

from __future__ import annotations

import contextlib
import importlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onekernel.errors import UserError
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED
from onekernel.messages import set_language
from onekernel.sandbox import reader, readers
from onekernel.sandbox.reader import read
from onekernel.sandbox.reasons import words_of_reasons
from support.course import COURSE

# Each ends the parser of this process with MemoryError or RecursionError, or took it minutes.
HOSTILE = {
    "parentheses": "A = " + "(" * 5_000 + ")" * 5_000,
    "signs": "A = " + "-" * 100_000 + "1",
    "attributes": "A = a" + ".a" * 100_000,
    "sums": "A = " + "1+" * 100_000 + "1",
    "lambdas": "A = " + "lambda:" * 30_000 + "1",
    "branches": "if a: pass\n" + "elif a: pass\n" * 15_000,
    "digits": "A = " + "9" * 200_000,
    "a null byte": "A = 1\0",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_text_that_ends_the_parser_ends_in_a_sentence(text: str) -> None:
    with pytest.raises((SyntaxError, UserError)):
        read(readers.constants, text)


def test_a_text_that_can_be_read_comes_back_as_it_is() -> None:
    assert read(readers.constants, 'A = "á"\nB, C = 1, 2\nD = E = "2 MB"') == {"A": "á", "D": "2 MB", "E": "2 MB"}
    with pytest.raises(SyntaxError) as caught:
        read(readers.constants, "A = 1\nB = (\n")
    assert caught.value.lineno == 2


def test_a_character_that_no_terminal_can_show_is_replaced() -> None:
    found = read(readers.constants, 'A = "\\ud800 bytes"')
    assert found["A"].encode("utf-8").endswith(b" bytes")


def test_a_machine_without_memory_costs_nobody_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object, **__: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(reader.subprocess, "run", no_room)
    with pytest.raises(OSError):
        read(readers.constants, "FRESH = 1")


@pytest.mark.parametrize("slug", ["roofline_challenge", "read_trace"])
@pytest.mark.parametrize("name", ["signs", "attributes"])
def test_its_points_stay_in_the_total(slug: str, name: str, tmp_path: Path) -> None:
    set_language("en")
    exercise = COURSE.exercises[slug]
    path = tmp_path / exercise.file
    path.write_text(HOSTILE[name], encoding="utf-8")
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    assert [v.check.id for v in result.verdicts] == [c.id for c in exercise.checks]
    assert {v.status for v in result.verdicts} == {FAILED}
    assert result.earned == 0 and result.assessed == exercise.points
    assert "nested" in str(result.verdicts[-1].failures[0].message)


def test_a_judge_that_fails_is_a_named_zero_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_language("en")

    def broken(*_: object) -> None:
        raise KeyError("of ours")

    exercise = COURSE.exercises["roofline_challenge"]
    path = tmp_path / exercise.file
    path.write_bytes(COURSE.solution(exercise).read_bytes())
    monkeypatch.setattr("onekernel.checks.answers.judge._wrong", broken)
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    assert len(result.verdicts) == len(exercise.checks) and result.assessed == exercise.points
    assert "KeyError" in str(result.verdicts[0].failures[0].message)


@settings(max_examples=300)
@given(st.text(st.sampled_from("AB = '\"#()[]{},:.\\\n\t 09xé@!-+*/\x00\x0c\r"), max_size=120))
def test_no_text_brings_anything_but_a_syntax_error(text: str) -> None:
    for function in (readers.constants, readers.peeks):
        with contextlib.suppress(SyntaxError):
            function(text)
    assert words_of_reasons(text) >= 0


def test_what_the_imports_of_a_function_hold_is_not_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weighty.py").write_text(
        "import mmap, time\n"
        "held = mmap.mmap(-1, 3 << 29, mmap.MAP_PRIVATE)\n"
        "while time.process_time() < 4.5: pass\n"
        "def length(text): return len(text * 1000)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.getenv("PYTHONPATH")])]))
    assert read(importlib.import_module("weighty").length, "a" * 1000) == 1_000_000

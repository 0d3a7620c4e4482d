"""Starters and solutions in Spanish: each sentence is translated, and no code is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel import comments, gaps
from onekernel.author import exercises
from onekernel.course import Exercise
from support import rules
from support.course import COURSE

STARTED = {path: e for e in COURSE.exercises.values() if (path := COURSE.starter(e)).is_file()}
WORDS = {COURSE.words(e, "es") for e in COURSE.exercises.values()}
SOLVED = {path: e for e in STARTED.values() if (path := COURSE.solution(e)).suffix != ".md"}



def solution(exercise: Exercise) -> str:
    path = COURSE.solution(exercise)
    return gaps.solved(path.read_text(encoding="utf-8"), path)


def test_a_spanish_file_has_the_same_code() -> None:
    def other(path: Path) -> bool:
        texts = COURSE.starters(STARTED[path]).values()
        return path.suffix != ".md" and len({comments.code(t, path.suffix, raised=False) for t in texts}) > 1

    rules.each(STARTED, other, "a translation changes code")

    def solved_otherwise(path: Path) -> bool:
        both = COURSE.told(SOLVED[path], solution(SOLVED[path]))
        return len({comments.code(text, path.suffix, raised=False) for text in both.values()}) > 1

    rules.each(SOLVED, solved_otherwise, "a translation changes code")


def test_every_sentence_of_a_starter_and_of_a_solution_is_told_in_spanish() -> None:
    rules.each(STARTED.values(), lambda e: exercises.untold(COURSE, e), "translate these")


def test_no_translation_is_left_over() -> None:
    rules.each(WORDS, lambda words: exercises.left_over(COURSE, words), "delete these")


def test_comments_are_translated_where_they_stand() -> None:
    words = {"one": "uno", "two": "dos", "three": "tres"}
    cuda = '// one\n//   two\nint x = 1;   // three\n//\n// Check: onekernel check x\nchar* s = "// one";\n'
    changed = cuda.replace("// one\n", "// uno\n").replace("two", "dos").replace("three", "tres")
    assert comments.translated(cuda, ".cu", words) == changed
    python = '"""one\n\n    two\n"""\nX = "# one"  # three\n\n\ndef f():\n    """two\n\n    one\n    """\n'
    changed = python.replace("one\n", "uno\n").replace("two", "dos").replace("three", "tres")
    assert comments.translated(python, ".py", words) == changed
    assert comments.told(cuda, ".cu") == ["one", "two", "three"]
    assert comments.told("# aa\n\n\n<!-- bb -->", ".md") == ["# aa"]


def test_a_line_without_its_pair_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("% a comment\none\n    uno\ntwo\nthree\n")
    with pytest.raises(ValueError, match="'two' has no translation"):
        comments.table(path)
    assert comments.table(tmp_path / "none.txt") == {}

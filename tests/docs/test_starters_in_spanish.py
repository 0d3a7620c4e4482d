"""Starters and solutions in Spanish: each sentence is translated, and no code is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel import comments, gaps
from onekernel.course import Exercise
from support import rules
from support.course import COURSE

STARTED = {path: e for e in COURSE.exercises.values() if (path := COURSE.starter(e)).is_file()}
WORDS = {path: comments.table(path) for path in {COURSE.words(e, "es") for e in COURSE.exercises.values()}}
SOLVED = {path: e for e in STARTED.values() if (path := COURSE.solution(e)).suffix != ".md"}
# Made for speed at every shape, and long: what their starters do not hold is told in English alone.
RECORDS = {"softmax_tuned", "softmax_triton", "softmax_mul", "softmax_mul_triton", "gemm_tensorcore", "gemm_skinny"}


def solution(exercise: Exercise) -> str:
    path = COURSE.solution(exercise)
    return gaps.solved(path.read_text(encoding="utf-8"), path)


UNTOLD = "translate these in solutions/starters.es.txt, or in the exercise's answer.es.txt"


def test_a_spanish_starter_has_the_same_code_and_no_english_sentence() -> None:
    def untold(path: Path) -> list[str]:
        exercise = STARTED[path]
        suffix, both = path.suffix, COURSE.starters(exercise)
        if suffix != ".md":
            assert comments.code(both["en"], suffix) == comments.code(both["es"], suffix)
        return [line for line in comments.told(both["en"], suffix) if line not in WORDS[COURSE.words(exercise, "es")]]

    rules.each(STARTED, untold, UNTOLD)


def test_a_solution_is_told_in_spanish() -> None:
    def untold(path: Path) -> list[str]:
        text, suffix = solution(SOLVED[path]), path.suffix
        spanish = COURSE.told(SOLVED[path], text)["es"]
        assert comments.code(text, suffix) == comments.code(spanish, suffix)
        return [line for line in comments.told(text, suffix) if line not in WORDS[COURSE.words(SOLVED[path], "es")]]

    rules.each([path for path, e in SOLVED.items() if e.slug not in RECORDS], untold, UNTOLD)


def test_no_translation_is_left_over() -> None:
    told: dict[Path, set[str]] = {path: set() for path in WORDS}
    for path, e in STARTED.items():
        told[COURSE.words(e, "es")] |= set(comments.told(COURSE.starters(e)["en"], path.suffix))
    for path, e in SOLVED.items():
        told[COURSE.words(e, "es")] |= set(comments.told(solution(e), path.suffix))
    assert [line for path, words in WORDS.items() for line in words if line not in told[path]] == []


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

"""`onekernel start --lang es` gives Spanish starters: each sentence is translated, and no code is touched."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from onekernel import comments
from onekernel.course import Exercise, find_root
from onekernel.labs.reader import load

COURSE = load(find_root(Path(__file__).parent))
EXERCISES = [e for e in COURSE.exercises.values() if COURSE.starter(e).is_file()]
WORDS = {path: comments.table(path) for path in (COURSE.root / "solutions" / "starters.es.txt",
                                                 COURSE.root / "labs" / "practice" / "starters.es.txt")}  # fmt: skip


def code(text: str, suffix: str) -> str:
    """A file without its comments and docstrings."""
    if suffix != ".py":
        return re.sub(r"//[^\n]*", "", text)
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for part in body if isinstance(body, list) else []:
            if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
                part.value.value = ""
    return ast.dump(tree)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: str(e.slug))
def test_a_spanish_starter_has_the_same_code_and_no_english_sentence(exercise: Exercise) -> None:
    suffix, both = COURSE.starter(exercise).suffix, COURSE.starters(exercise)
    if suffix != ".md":
        assert code(both["en"], suffix) == code(both["es"], suffix)
    known = {line for words in WORDS.values() for line in words}
    assert [line for line in comments.told(both["en"], suffix) if line not in known] == []


def test_no_translation_is_left_over() -> None:
    told = {line for e in EXERCISES for line in comments.told(COURSE.starters(e)["en"], COURSE.starter(e).suffix)}
    assert [line for words in WORDS.values() for line in words if line not in told] == []


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

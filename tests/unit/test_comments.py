"""A file without its comments and docstrings: what a profile knows its source by."""

from __future__ import annotations

import pytest

from onekernel.comments import code, told, translated


@pytest.mark.parametrize(
    ("line", "suffix", "left"),
    [
        ("int a = 1;  // one", ".cu", "int a = 1;"),
        ("    //| // TODO: the learner's", ".cu", ""),
        ("float h = a / b / c;", ".cu", "float h = a / b / c;"),
        ('printf("http://x");  // "quoted"', ".cu", 'printf("http://x");'),
        (r"""char q = '\'', s = '"'; // "odd""", ".cu", r"""char q = '\'', s = '"';"""),
        ("x = 1  # one", ".py", "x = 1"),
        ("mark = '#'  # a mark", ".py", "mark = '#'"),
        ("| a | # b", ".md", "| a | # b"),
    ],
)
def test_a_comment_goes_and_what_a_string_holds_stays(line: str, suffix: str, left: str) -> None:
    assert code(f"{line}\nnext", suffix) == f"{left}\nnext"


def test_what_a_docstring_says_goes_and_every_line_keeps_its_number() -> None:
    text = '"""One.\n\nTwo # three\n"""\n\n\ndef f():\n    """Four."""\n    return "five"  # six\n'
    left = '"""\n\n\n"""\n\n\ndef f():\n    """"""\n    return "five"\n'
    assert code(text, ".py") == left == code(text.replace("One.", "Uno.").replace("Four.", "Cuatro."), ".py")
    assert code('"""One."""\ndef f(:  # no Python', ".py") == '"""One."""\ndef f(:'


def test_what_an_exception_is_raised_with_is_said_in_the_other_language() -> None:
    text = 'def f(n):\n    raise ValueError(f"f wants {n} rows")\n\n\nraise NotImplementedError("f.forward")  # later\n'
    assert told(text, ".py") == ["f wants {n} rows", "later"]
    other = translated(text, ".py", {"f wants {n} rows": "f necesita {n} filas", "f.forward": "no"})
    assert other == text.replace("f wants {n} rows", "f necesita {n} filas")

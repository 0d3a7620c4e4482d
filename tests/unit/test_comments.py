"""A file without its comments: what a profile knows its source by."""

from __future__ import annotations

import pytest

from onekernel.comments import code


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

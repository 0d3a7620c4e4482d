"""A program over its time limit: whether a loop hangs, a launch is large or there are many, and what to do about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import Executable, build
from support.marks import marked

PATH = Path(__file__).with_name("long.cu")
CHECKED = ("Without its checks it runs faster (`--fast`)", "Sin las comprobaciones va más rápido (`--fast`)")
SAID = {
    1: ("it is much work, and nothing says", "es mucho trabajo, y nada indica"),  # in a launch, or between two
    2: ("It makes progress: this launch would need about", "Avanza: aquí este lanzamiento necesitaría unos"),
    4: ("when it had launched", "cuando había hecho"),
    3: ("a loop does not end", "un bucle no termina"),
}


@pytest.fixture(scope="module")
def long() -> Executable:
    return build([PATH], "fast")


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 3, 4])
def test_what_took_the_time_is_told(number: int, long: Executable) -> None:
    done = long.run([str(number)], limit=1, quiet=True)
    assert {(f.code, f.line) for f in done.findings} == marked(PATH, number)
    for language, said in zip(("en", "es"), SAID[number], strict=True):
        text = done.findings[0].message.text(language)
        assert said in text
        assert "--fast" not in text  # it is


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_checks_may_be_left_out_where_they_were_made(number: int) -> None:
    done = build([PATH]).run([str(number)], limit=1, quiet=True)
    (told,) = (f for f in done.findings if f.code == "time-limit")
    for language, said, faster in zip(("en", "es"), SAID[number], CHECKED, strict=True):
        text = told.message.text(language)
        assert said in text and faster in text

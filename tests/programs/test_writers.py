"""Two threads that write one element: what each of them does there says what is missing, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import Executable, build
from support.marks import marked

PATH = Path(__file__).with_name("writers.cu")
SAID = {
    1: ("line 6 sets it while another thread already changes it at line 7", "la línea 6 le da valor cuando otro hilo"),
    2: ("writes it as an element of values, and line 16 as one of twice", "como elemento de values, y la línea 16"),
    3: ("put __syncthreads() between them, outside any `if`", "pon __syncthreads() entre las dos, fuera de todo `if`"),
    4: ("for both the index is 0", "para ambos el índice es 0"),
}


@pytest.fixture(scope="module")
def writers() -> Executable:
    return build([PATH])


@pytest.mark.parametrize("number", list(SAID))
def test_a_race_of_two_writers_is_told_by_what_they_write(number: int, writers: Executable) -> None:
    done = writers.run([str(number)], limit=5, quiet=True)
    assert {(f.code, f.line) for f in done.findings} == marked(PATH, number)
    for language, said in zip(("en", "es"), SAID[number], strict=True):
        assert said in done.findings[0].message.text(language)


def test_elements_that_are_set_before_a_barrier_and_changed_by_atomics_are_in_order(writers: Executable) -> None:
    assert writers.run(["101"], limit=5, quiet=True).findings == ()

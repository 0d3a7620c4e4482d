"""Copies that do not fit: which side, how much, and what to do, in both languages; and nothing of right ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import Executable, build
from support.marks import marked

PATH = Path(__file__).with_name("copies.cu")
SAID = {
    1: ("the pitch given for the destination is only 20", "el pitch que se da para el destino es solo 20"),
    2: ("the pitch given for the source is only 20", "el pitch que se da para el origen es solo 20"),
    3: ("have 80 bytes, and the pitch", "tienen 80 bytes, y el pitch"),
    4: ("enough for 16 such rows", "suficientes para 16 filas así"),
    5: ("of the destination: the last row ends at byte 7,760, and there are 1,280", "del destino: la última fila"),
    6: ("A copy of 2,560 bytes goes to memory of the host that has 1,280", "que tiene 1280"),
    7: ("goes to a local variable of the host", "va a una variable local del host"),
    8: ("comes from memory of the host that has 80", "sale de memoria del host que tiene 80"),
    9: ("is only 20", "es solo 20"),
    10: ("rows up to the 17th of each plane, and the planes of the source have 16", "del origen tienen 16 filas"),
    11: ("enough for 3 such planes", "suficientes para 3 planos así"),
    12: ("cudaMemcpyToSymbol returned cudaErrorInvalidValue", "cudaMemcpyToSymbol devolvió cudaErrorInvalidValue"),
}
RIGHT = range(101, 107)
ALSO = ("leak",)  # of what ends early


@pytest.fixture(scope="module")
def copies() -> Executable:
    return build([PATH])


@pytest.mark.slow
@pytest.mark.parametrize("number", list(SAID))
def test_a_copy_that_does_not_fit_is_told_by_its_side_and_size(number: int, copies: Executable) -> None:
    done = copies.run([str(number)], limit=20, quiet=True)
    told = [f for f in done.findings if f.code not in ALSO]
    assert {(f.code, f.line) for f in told} == marked(PATH, number)
    told.sort(key=lambda f: f.code)  # what explains an error, before it
    for language, said in zip(("en", "es"), SAID[number], strict=True):
        assert said in told[0].message.text(language)


@pytest.mark.slow
@pytest.mark.parametrize("number", RIGHT)
def test_a_copy_that_fits_is_told_nothing(number: int, copies: Executable) -> None:
    done = copies.run([str(number)], limit=20, quiet=True)
    assert (done.status, [f for f in done.findings if f.code not in ALSO]) == (0, [])

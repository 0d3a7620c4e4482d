"""Programs as they are posted on forums: the cause and what to do, in both languages; and nothing of right ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.backends.base import BuildError
from onekernel.programs import Executable, build
from onekernel.programs.text import lines_of
from onekernel.simulator.read import around, arrays
from support.marks import marked

PATH = Path(__file__).with_name("forums.cu")
SAID = {
    1: ("increment reads and writes x[1024], 1 past the last", "increment lee y escribe x[1024], 1 más allá"),
    2: ("Race on tile[5][2]: thread (2,5,0) writes it", "Carrera en tile[5][2]: el hilo (2,5,0) lo escribe"),
    3: ("reads cube[2][0][0] in shared memory", "lee cube[2][0][0] en memoria compartida"),
    4: ("Race on table[1][2]: threads", "Carrera en table[1][2]: los hilos"),
    5: ("a branch that only some lanes take", "una rama que solo toman algunos carriles"),
    6: ("draw from the same generator of cuRAND", "sacan números del mismo generador de cuRAND"),
    7: ("both change it in this line", "lo cambian en esta línea"),
    8: ("text is memory of the host, and say uses it", "text es memoria del host"),
    9: ("gave all of the device's memory back", "devolviera toda la memoria del dispositivo"),
    10: ("Shared memory lives no longer than its block", "La memoria compartida no vive más que su bloque"),
    11: ("goes into a stream that line", "va a un stream que la línea"),
    12: ("with no barrier between the two", "sin barrera entre"),
    13: ("the grid only one row of blocks", "la malla una sola fila de bloques"),
    14: ("transpose reads tile[0][8] in shared memory", "transpose lee tile[0][8] en memoria compartida"),
    15: ("fills only its first 4,096 of 4,100 bytes.", "solo llena sus primeros 4096 de 4100 bytes."),
    17: ("Put __threadfence() behind the loop that takes the lock", "Pon __threadfence() detrás del bucle"),
    18: ("The 1 element of z that is copied to the host here was never", "el 1 elemento de z que se copia aquí"),
    16: ("The time between two events is NaN here", "El tiempo entre dos eventos es aquí NaN"),
}
RIGHT = (*range(101, 121),)
ALSO = ("leak",)  # of the program that ends early


@pytest.fixture(scope="module")
def forums() -> Executable:
    return build([PATH])


@pytest.mark.slow
@pytest.mark.parametrize("number", list(SAID))
def test_a_reader_of_forums_finds_the_cause_and_what_to_do(number: int, forums: Executable) -> None:
    done = forums.run([str(number)], limit=20, quiet=True)
    wanted = marked(PATH, number)
    told = [f for f in done.findings if f.code not in ALSO]
    assert [(f.code, f.line) for f in told] == list(wanted)
    for language, said in zip(("en", "es"), SAID[number], strict=True):
        assert said in told[0].message.text(language)


@pytest.mark.slow
@pytest.mark.parametrize("number", RIGHT)
def test_a_right_program_of_the_kind_is_told_nothing(number: int, forums: Executable) -> None:
    done = forums.run([str(number)], limit=20, quiet=True)
    assert (done.status, done.findings) == (0, ())


@pytest.mark.slow
def test_a_note_leaves_a_program_without_faults(forums: Executable) -> None:
    said = "\n".join(text for _, text in lines_of(forums.run(["16"], quiet=True)))
    assert "Nothing wrong" in said and "0 errors, 0 warnings" in said


def test_a_race_that_each_launch_has_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(
        "__global__ void k(int* x) { x[0] = blockIdx.x; }\n"
        "int main() {\n    int* x;\n    cudaMalloc(&x, 8);\n    k<<<2, 1>>>(x);\n    k<<<2, 1>>>(x + 1);\n"
        "    cudaDeviceSynchronize();\n    cudaFree(x);\n}\n"
    )
    assert [(f.code, f.line) for f in build([path]).run(quiet=True).findings] == [("race-global", 1)]


def test_a_file_of_another_encoding_is_told_its_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_bytes(b"// \xb0\xa1\xb3\xaa\nint main() {\n    int v = 1\n    return v;\n}\n")
    with pytest.raises(BuildError) as refused:
        build([path])
    assert refused.value.findings[0].line == 3


def test_a_quoted_line_has_no_spaces_that_align_it() -> None:
    assert around.quoted("x[i]   =  1;   y = 2;") == "`x[i] = 1; y = 2;`"


@pytest.mark.parametrize(
    ("text", "extents"),
    [
        ("__device__ float t[4][6];", [6]),
        ("#define K 5\n__constant__ int t[2][3][K];", [3, 5]),
        ("constexpr int K = 7;\n__device__ float t[2][K];", [7]),
        ("__device__ float t[2][2 * K];", []),
        ("__device__ float t[12];", []),
    ],
)
def test_the_extents_of_a_variable_of_the_device_are_read_where_they_are_numbers(
    text: str, extents: list[int], tmp_path: Path
) -> None:
    file = tmp_path / "a.cu"
    file.write_text(text)
    assert arrays.inner_extents(str(file), "t") == extents

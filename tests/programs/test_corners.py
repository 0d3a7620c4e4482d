"""Mistakes in the corners of CUDA: the cause and what to do, in both languages; and nothing of right programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.backends.base import BuildError
from onekernel.programs import Executable, build
from onekernel.simulator.compilation.lint import lint
from support.marks import marked

PATH = Path(__file__).with_name("corners.cu")
SAID = {
    1: ("writes steps[16], 1 past the last of its 16", "escribe steps[16], 1 más allá"),
    2: ("writes begun[-1], before its first", "escribe begun[-1], antes de su primer"),
    3: ("writes points[4], 1 past the last of its 4", "escribe points[4], 1 más allá"),
    4: ("reads 16 bytes at once at rest[16]", "lee 16 bytes de una vez en rest[16]"),
    5: ("4 bytes past a multiple of 16", "4 bytes por encima de un múltiplo de 16"),
    6: ("a local variable of thread 0, by way of a pointer", "una variable local del hilo 0"),
    7: ("a local variable of thread 1, by way of a pointer", "una variable local del hilo 1"),
    8: ("begins at byte 8, over what an earlier copy", "empieza en el byte 8, encima de lo que llevó"),
    9: ("brings 16 bytes of 64: the size", "lleva 16 bytes de 64: el tamaño"),
    10: ("nothing has given this __constant__ variable a value", "nada ha dado un valor a esta variable"),
    11: ("as an int, -2.0f is greater than -1.0f", "como int, -2.0f es mayor que -1.0f"),
    12: ("fetches element 256 of a texture that has 256", "lee el elemento 256 de una textura que tiene 256"),
    13: ("a graph keeps the addresses", "un grafo guarda las direcciones"),
    14: ("The two pitches of this copy are exchanged", "Los dos pitch de esta copia están intercambiados"),
    15: ("it is in another stream, and the time", "está en otro stream, y el tiempo"),
    16: ("wait for the flag, __threadfence(), read", "espera la señal, __threadfence(), lee"),
    17: ("sizeof(of_host) is the size of the pointer", "sizeof(of_host) es el tamaño del puntero"),
    18: ("a generator of cuRAND that nobody has set", "un generador de cuRAND que nadie ha inicializado"),
    19: ("the direction is cudaMemcpyDeviceToHost", "la dirección es cudaMemcpyDeviceToHost"),
    115: ("The time between two events is NaN here", "El tiempo entre dos eventos es aquí NaN"),
}
RIGHT = (101, 102, 103, 104, 106, 107, 108, 109, 110, 111, 112, 113, 114, 116, 117, 118, 119)


@pytest.fixture(scope="module")
def corners() -> Executable:
    return build([PATH])


@pytest.mark.slow
@pytest.mark.parametrize("number", list(SAID))
def test_the_cause_is_told_at_its_line(number: int, corners: Executable) -> None:
    done = corners.run([str(number)], limit=20, quiet=True)
    assert {(f.code, f.line) for f in done.findings} == marked(PATH, number)
    for language, said in zip(("en", "es"), SAID[number], strict=True):
        assert said in done.findings[0].message.text(language)


@pytest.mark.slow
@pytest.mark.parametrize("number", RIGHT)
def test_a_right_program_that_looks_like_it_is_told_nothing(number: int, corners: Executable) -> None:
    done = corners.run([str(number)], limit=20, quiet=True)
    assert (done.status, done.findings) == (0, ())


def test_constants_that_no_card_has_room_for_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(
        "__constant__ float table[20000];\n__constant__ int few[4] = {1};\n"
        "__global__ void k(float* y) { *y = table[threadIdx.x] + few[0]; }\nint main() { k<<<1, 1>>>(nullptr); }\n"
    )
    with pytest.raises(BuildError) as refused:
        build([path])
    assert [(f.code, f.line) for f in refused.value.findings] == [("constant-memory", 1)]
    assert "80,016 bytes, `table` alone 80,000" in refused.value.findings[0].message.text("en")


RESERVED = "h.reserve(n);\ncudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("std::vector<float> h(n);\ncudaMemcpy(d, &h, n * sizeof(float), cudaMemcpyHostToDevice);", "vector-address"),
        ("std::vector<float> h(n), g;\ncudaMemcpyAsync(&h, d, n, cudaMemcpyDeviceToHost, s);", "vector-address"),
        ("std::vector<float> h(n);\ncudaMemcpy(d, &h[0], n * sizeof(float), cudaMemcpyHostToDevice);", None),
        ("float h = 1;\ncudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);", None),
        (f"std::vector<float> g(n), h;\n    {RESERVED}", "vector-empty"),
        (f"std::vector<float> h;\n    {RESERVED}\nprintf(\"%zu\", h.size());", "vector-empty"),
        (f"std::vector<float> h(n);\n    {RESERVED}", None),
        (f"std::vector<float> h;\nh.resize(n);\n    {RESERVED}", None),
        (f"std::vector<float> h;\n    {RESERVED}\n}}\nvoid f(A& a) {{ a.h.push_back(1);", None),
        (f"std::vector<float> h;\nread(file, h);\n    {RESERVED}", None),
        ("int n = 1000, threads = 256;\nint blocks = ceil(n / threads);", "ceiling"),
        ("#define N 1000\nint blocks = ceil(N / 256);", "ceiling"),
        ("void f(int n) {\n    int blocks = ceilf(n / 256);", "ceiling"),
        ("int n = 1000;\nfloat threads = 256;\nint blocks = ceil(n / threads);", None),
        ("int n = 1000;\nint blocks = ceil((float)n / 256);\nint more = ceil(n / 256.0);", None),
    ],
)
def test_a_slip_in_the_text_is_seen(text: str, seen: str | None) -> None:
    found = [key for _, _, key, _ in lint({"mine.cu": text}, True)]
    assert found == ([seen] if seen else [])

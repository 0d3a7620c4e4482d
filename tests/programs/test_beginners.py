"""What is said of mistakes as beginners make them: the right line, and advice that helps there."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import Executable, build
from onekernel.simulator.read import around, stores
from support.marks import marked

PATH = Path(__file__).with_name("beginners.cu")
SAID = {
    1: ("__syncthreads() holds only within one block", "__syncthreads() solo vale para uno"),
    2: ("spread reads x[294912], 293889 past the last of its 1024", "spread lee x[294912], 293889 más allá"),
    3: ("both change it in this line", "lo cambian en esta línea"),
    4: ("both read it at line 26 and write it here", "lo leen en la línea 26 y lo escriben aquí"),
    5: ("atomicAdd or atomicMax", "atomicAdd o atomicMax"),
    6: ("A barrier does not help: use an atomic", "Una barrera no sirve: usa una operación atómica"),
    7: ("lies at row * width + column", "está en fila * anchura + columna"),
    8: ("Its last element is s[63]: should 1 be subtracted", "Su último elemento es s[63]: ¿hay que restar 1"),
    9: ("add reads sum[0] before anything was written", "add lee sum[0] antes de que se haya escrito"),
    10: (),
    11: ("4,096 bytes of page-locked memory", "de memoria bloqueada (pinned) que se reservan"),
    12: ("or in an array of pointers", "o en un array de punteros"),
    13: ("the pointer itself is passed: `d`, not `&d`", "se pase el puntero mismo: `d`, no `&d`"),
    14: ("without having waited for this launch of hello", "sin haber esperado a este lanzamiento de hello"),
    15: (),
    16: ("blur reads data[-8], before its first element", "blur lee data[-8], antes de su primer elemento"),
    17: ("Of the 1,000 elements of y that", "De los 1000 elementos de y que"),
    18: ("The 1,000 elements of y that are copied to the host here were never", "Nadie ha escrito los 1000 elementos"),
    19: ("Ask for the rows into an array of pointers of the host", "Pide las filas en un array de punteros del host"),
    20: ("and a plain write meet", "y una escritura normal"),
    21: ("has 1024 bytes, as line", "en bytes, no en elementos"),
    22: ("the last tile hangs over the edge", "el último tile se sale del borde"),
    23: ("Are the two numbers swapped?", "¿Están intercambiados los dos números?"),
    24: ("The launch gives the extern __shared__ array no bytes", "no da ningún byte al array extern"),
    25: ("It is declared with 8 elements at line 74", "Está declarado con 8 elementos en la línea 74"),
    26: (),
    27: ("Call cudaEventSynchronize(stop) first", "Llama antes a cudaEventSynchronize(stop)"),
    28: (),
    29: ("add_part reads unwritten[0] before", "add_part lee unwritten[0] antes"),
    31: ("read it in a second kernel", "léelo en un segundo kernel"),
    32: ("wait_for reads signals->latch[0] before", "wait_for lee signals->latch[0] antes"),
    33: ("wait_for reads part[9] before", "wait_for lee part[9] antes"),
}


def _written(folder: Path, *lines: str) -> str:
    """A file whose kernel has these lines, from its second line on."""
    file = folder / "a.cu"
    file.write_text("\n".join(("__global__ void k() {", *lines, "}", "")))
    return str(file)


@pytest.fixture(scope="module")
def beginners() -> Executable:
    return build([PATH])


@pytest.mark.slow
@pytest.mark.parametrize("number", list(SAID))
def test_a_beginner_reads_the_line_and_what_to_do(number: int, beginners: Executable) -> None:
    done = beginners.run([str(number)], limit=20, quiet=True)
    wanted = marked(PATH, number)
    assert {(f.code, f.line) for f in done.findings} == wanted
    assert len(done.findings) == len(wanted)
    for language, said in zip(("en", "es"), SAID[number], strict=False):
        assert said in done.findings[0].message.text(language)
    calls = {f.message.values["call"] for f in done.findings if f.code == "leak"}
    assert calls == ({"cudaFreeHost", "cudaFree"} if number == 11 else set())


@pytest.mark.parametrize(
    ("line", "variable", "lost"),
    [
        ("bins[data[i]] = bins[data[i]] + 1;", "b", True),
        ("if (i < n) bins[data[i]]++;", "b", True),
        ("*sum += x[i];", "d_sum", True),
        ("total += x[i];", "total", True),
        ("if (x[i] > best[0]) best[0] = x[i];", "d_best", True),
        ("s[t] += s[t + step];", "s", False),
        ("if (s[t] < s[t + step]) s[t] = s[t + step];", "s", False),
        ("x[i] = y[i] + 1;", "d_x", False),
        ("x[i] = x[i - 1] + x[i];", "x", False),
        ("if (i < n) p.sum[i] = p.sum[i] + w;", "p.sum", True),  # of a struct
        ("bins[i] <<= 1;", "bins", True),
        ("*best = max(*best,\n x[i]);", "d_best", True),
        ("n = a * b;", "b", False),  # a product is no pointer's element
        ("*out = (T)(x + (float)*out);", "d_out", True),
    ],
)
def test_a_change_that_is_lost_is_told_from_an_exchange(
    line: str, variable: str, lost: bool, tmp_path: Path
) -> None:
    assert stores.updates(_written(tmp_path, line), 2, variable) is lost


@pytest.mark.parametrize(
    ("read", "write", "lost"),
    [
        ("int old = v[i];", "v[i] = old + 1;", True),
        ("if (x[i] > *best)", "*best = x[i];", True),
        ("float left = v[i - 1];", "v[i] = left;", False),
        ("int old = v[i];", "v[i] = w[i];", False),
        ("if (v[i] > v[j]) {", "v[i] = t;", False),
        ("v[i] = w;", "v[i] += v[i + 1];", False),  # what the first sets it has not read
        ("if (t == 3) mine += v[i];", "if (t == 40) v[i] = 2.0f;", False),  # a test of who reads
    ],
)
def test_a_change_in_two_lines_is_known_by_what_is_read_and_written(
    read: str, write: str, lost: bool, tmp_path: Path
) -> None:
    assert stores.updates_later(_written(tmp_path, read, write), 2, 3, "d") is lost


@pytest.mark.parametrize(
    ("line", "variable", "adds"),
    [
        ("out[i] += w * 2;", "d_out", True),
        ("if (i < n) *sum += x;", "d_sum", True),
        ("total += x[i];", "total", True),
        ("sum += a[i] * b[i];", "d_a", False),
        ("p.x[i] += p.vx[i] * dt;", "soa.x", True),
        ("p.x[i] += p.vx[i] * dt;", "soa.vx", False),
        ("c[i] += a[i];", "d_a", False),
        ("c[i] = a[i];", "c", False),
    ],
)
def test_whether_a_line_adds_to_what_it_reads(line: str, variable: str, adds: bool, tmp_path: Path) -> None:
    assert stores.adds_to(_written(tmp_path, line), 2, variable) is adds


@pytest.mark.parametrize(("otherwise", "line"), [("", 2), ("    else s[t] = 0;", None)])
def test_a_store_whose_else_stores_too_is_not_told_as_guarded(tmp_path: Path, otherwise: str, line: int) -> None:
    file = tmp_path / "a.cu"
    file.write_text(f"__global__ void k(int n) {{\n    if (t < n) s[t] = 1;\n{otherwise}\n}}\n")
    assert around.stored_in_branch(str(file), 2, "s") == line

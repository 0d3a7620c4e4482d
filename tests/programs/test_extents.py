"""An index past the end of an array where no access of memory tells of it; and which indices need no check."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import Executable, build
from onekernel.simulator.arch import architecture
from onekernel.simulator.rewrite import rewrite
from support.marks import marked

PATH = Path(__file__).with_name("extents.cu")
SAID = {
    1: ("uses kept[8], and the array has 8 elements", "usa kept[8], y el array tiene 8 elementos"),
    2: ("a test says `<=` where `<` is meant", "alguna comprobación dice `<=` donde se quiere `<`"),
    3: ("uses best.value[4], and the array has 4", "usa best.value[4], y el array tiene 4"),
    4: ("uses v[3], and the array has 3", "usa v[3], y el array tiene 3"),
    5: ("uses sums[-1], before the array's first", "usa sums[-1], antes del primer"),
    6: ("uses sums[2], and the array has 2", "usa sums[2], y el array tiene 2"),
    7: ("uses kept[5], and the array has 4", "usa kept[5], y el array tiene 4"),
    8: ("uses kept[8], and the array has 8", "usa kept[8], y el array tiene 8"),
    9: ("by_pointer", "by_pointer"),
    10: ("uses v[4], and the array has 4", "usa v[4], y el array tiene 4"),
}


@pytest.fixture(scope="module")
def extents() -> Executable:
    return build([PATH])


@pytest.mark.slow
@pytest.mark.parametrize("number", list(SAID))
def test_the_array_is_named_at_its_line(number: int, extents: Executable) -> None:
    done = extents.run([str(number)], limit=20, quiet=True)
    assert {(f.code, f.line) for f in done.errors} == marked(PATH, number)
    for language, said in zip(("en", "es"), SAID[number], strict=True):
        assert said in done.errors[0].message.text(language)


@pytest.mark.slow
@pytest.mark.parametrize("number", [101, 102])
def test_what_stays_inside_is_told_nothing(number: int, extents: Executable) -> None:
    done = extents.run([str(number)], limit=20, quiet=True)
    assert (done.status, done.errors) == (0, ())


def spared(text: str, tmp_path: Path) -> list[str]:
    """The lines of a kernel's body that hold a subscript which nothing checks."""
    path = tmp_path / "mine.cu"
    path.write_text(f"constexpr int M = 4, N = 8;\n__global__ void k(float* y, int n, int t) {{\n{text}\n}}\n")
    source = rewrite(path, architecture(None), program=True)
    assert not source.findings
    return [line.strip().replace("::__ok::", "") for line in source.text.splitlines() if "::__ok::at(" in line]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("float a[N];\nfor (int i = 0; i < N; i++)\na[i] = 0;", ["at(a,i) = 0;"]),
        ("float a[M][N];\nfor (int i = 0; i < M; ++i) for (int j = 0; j < N; ++j) {\na[i][j] = 0;\n}",
         ["at(at(a,i),j) = 0;"]),
        ("float a[M * N];\nfor (int i = 0; i < M; i++)\nfor (int j = 0; j < N; j++)\na[j + i * N] = 0;",
         ["at(a,j + i * N) = 0;"]),
        ("float a[2 * N];\nfor (int i = 0; i < N; i++) {\na[2 * i + 1] = 0;\n}", ["at(a,2 * i + 1) = 0;"]),
        ("__shared__ float a[M];\na[t] = 0;", ["at(a,t) = 0;"]),
        ("float a[N];\nfor (int i = 0; i < N; i++)\na[i + 1] = 0;", []),
        ("float a[N];\nfor (int i = 0; i <= N; i++)\na[i] = 0;", []),
        ("float a[N];\nfor (int i = -1; i < N; i++)\na[i] = 0;", []),
        ("float a[N];\nfor (int i = 0; i < N; i++)\na[i - 1] = 0;", []),
        ("float a[N];\nfor (int i = 0; i < N || t; i++)\na[i] = 0;", []),
        ("float a[N];\nfor (int i = 0; i < N; i++) {\ni += t;\na[i] = 0;\n}", []),
        ("float a[M];\nfor (int i = 0; i < N; i++)\na[i] = 0;", []),
        ("float a[N];\nint i = 0;\nfor (i = 0; i < N; i++) y[i] = 0;\na[i] = 0;", []),
        ("__shared__ float a[M];\ny = new float[t];", []),
        ("__shared__ float a[M];\nassert(a[t] == 0);", []),
        ("__shared__ float t, a[M];\na[t] = 0;", ["at(a,t) = 0;"]),
        ("{ __shared__ float a[M]; }\n{ float t, a[M]; }", []),
        ("{ __shared__ float a[M]; }\n{ float t = f(1, 2), a[M]; }", []),
        ("{ __shared__ float a[M]; }\n{ float const a[M][N] = {}; }", []),
        ("}\nint main(int n, char**) {\nfloat a[n];\nfor (int i = 0; i < n; i++)\na[i] = 0;", []),
        ("}\nint main() {\nfloat a[4];\nfor (int i = 0; i < 4; i++)\na[i] = 0;", ["at(a,i) = 0;"]),
        ("}\nstruct S { __device__ S(); };\n__global__ void g(S* y, int t) {\ny = new S[t];", []),
        ("}\n__device__ float (*table)[4];\n__global__ void g(float* y, int t) {\ny = new float[t];", []),
        ("}\n__device__ Pair<float, int> f();\n__global__ void g(float* y, int t) {\ny = new float[t];", []),
        ("float a[N], b[N];\nfor (int i = 0; i < N; i++)\na[i] = b[t];", []),  # b's column tells its name
    ],
)  # fmt: skip
def test_an_index_that_loops_keep_inside_is_not_checked(text: str, wanted: list[str], tmp_path: Path) -> None:
    assert spared(text, tmp_path) == wanted

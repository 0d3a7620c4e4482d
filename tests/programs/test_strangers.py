"""Programs as people ask about them: the cause and what to do, in both languages; and nothing of right ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from onekernel.programs import Executable, build
from onekernel.programs.data import json_of
from onekernel.programs.text import lines_of
from onekernel.simulator import cccl
from onekernel.simulator.compilation.compiler import compiler
from onekernel.simulator.compilation.lint import lint
from support.marks import marked

PATH = Path(__file__).with_name("strangers.cu")
SAID = {
    1: ("fills only its first 1,024 of 4,096 bytes", "solo llena sus primeros 1024 de 4096 bytes"),
    2: ("Copy with cudaMemcpy2D", "Copia con cudaMemcpy2D"),
    3: ("as many as 64 threads would need with elements of 1 byte", "64 hilos con elementos de 1 byte"),
    4: ("the direction is cudaMemcpyDeviceToHost", "la dirección es cudaMemcpyDeviceToHost"),
    5: ("This copy reads b.p after it was freed at line", "Esta copia lee b.p después de liberarse"),
    6: ("two uses p after a destructor has freed it", "two usa p después de que un destructor"),
    7: ("points to the host's table", "apunta a la tabla del host"),
    8: ("waits for that at line 80 by plain reads", "espera a eso en la línea 80 con lecturas normales"),
    9: ("this loop waits for what no thread does any more", "este bucle espera algo que ya no hace"),
    10: ("step by gridDim.x * blockDim.x", "avanza gridDim.x * blockDim.x"),
    11: ("and not threadIdx.x alone", "y no solo threadIdx.x"),
    12: ("reads x[4,294,967,295], and x has 1,024", "lee x[4.294.967.295], y x tiene 1024"),
    13: ("-1 % n is -1", "-1 % n es -1"),
    14: ("without quotes and without &", "sin comillas y sin &"),
    15: ("record both with cudaEventRecord(event)", "registra los dos con cudaEventRecord(evento)"),
    16: ("cudaMalloc returned cudaErrorMemoryAllocation", "cudaMalloc devolvió cudaErrorMemoryAllocation"),
    17: ("reads it by way of cudaMemcpy(..., cudaMemcpyDeviceToHost)", "copiándola con cudaMemcpy"),
    18: ("is given back with cudaFree", "se libera con cudaFree"),
    19: ("the host's stack is full", "la pila del host está llena"),
    20: ("The loop of line 118 ends with its `;`", "El bucle de la línea 118 acaba en su `;`"),
    21: ("t[threadIdx.y][threadIdx.x], as the array", "t[threadIdx.y][threadIdx.x], porque el array"),
    22: ("halves is launched with blocks of 100 threads", "halves se lanza con bloques de 100 hilos"),
    23: ("all work goes into that stream", "todo el trabajo va a ese stream"),
    25: ("reads it by way of cudaMemcpy(..., cudaMemcpyDeviceToHost)", "copiándola con cudaMemcpy"),
    26: ("`%llu`, and (unsigned long long)", "`%llu`, y (unsigned long long)"),
    24: ("Its first argument is the address", "Su primer argumento es la dirección"),
}
RIGHT = (102, 103, 104, 106, 107, 110, 113, 114, 122, 125)
# The crash that follows from a failed allocation; memory that a program which ended early has not freed.
ALSO = ("crash", "leak", "unwaited")


@pytest.fixture(scope="module")
def strangers() -> Executable:
    return build([PATH])


@pytest.mark.slow
@pytest.mark.parametrize("number", list(SAID))
def test_a_stranger_reads_the_cause_and_what_to_do(number: int, strangers: Executable) -> None:
    if number in (15, 16, 24) and compiler().family != "g++":
        pytest.skip("with clang++ only launches are reported")
    done = strangers.run([str(number)], limit=2, quiet=True)
    wanted = marked(PATH, number)
    told = [f for f in done.findings if f.code not in ALSO]
    assert {(f.code, f.line) for f in told} == wanted
    assert done.findings[0] == told[0]
    for language, said in zip(("en", "es"), SAID[number], strict=True):
        assert said in told[0].message.text(language)


@pytest.mark.slow
@pytest.mark.parametrize("number", RIGHT)
def test_a_right_program_that_looks_like_it_is_told_nothing(number: int, strangers: Executable) -> None:
    done = strangers.run([str(number)], limit=20, quiet=True)
    assert (done.status, done.findings) == (0, ())


@pytest.mark.slow
def test_what_the_compiler_warns_of_is_in_every_report(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(
        "#include <cstdio>\n"
        "__global__ void k(float* x, int n) {\n"
        "    extern __shared__ float a[];\n"
        "    extern __shared__ float b[];\n"
        "    a[0] = 1, b[0] = 2;\n"
        "    x[0] = a[0];\n"
        "}\n"
        "int main() {\n"
        "    float* x;\n"
        "    cudaMalloc(&x, 4);\n"
        "    k<<<1, 1, 8>>>(x, 1);\n"
        "    cudaDeviceSynchronize();\n"
        "    cudaFree(x);\n"
        "}\n",
        "utf-8",
    )
    done = build([path]).run(quiet=True)
    assert [(f.code, f.line, f.severity) for f in done.findings] == [("warning-same-shared", 4, "warning")]
    assert json.loads(json_of(done))["findings"][0]["code"] == "warning-same-shared"
    said = [text for _, text in lines_of(done)]
    assert "0 errors, 1 warning" in said[-1] and not any("Nothing wrong" in text for text in said)


@pytest.mark.slow
@pytest.mark.skipif(not cccl.has("thrust/sort.h"), reason="needs NVIDIA's CCCL, pip install nvidia-cuda-cccl")
@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("thrust::sort(d, d + 4);", "Thrust takes a raw pointer for one of the host"),
        ("thrust::device_vector<int> from(4), to; thrust::copy(from.begin(), from.end(), to.begin());", "out.resize"),
    ],
)
def test_thrust_is_told_whose_pointer_it_was_given(call: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(
        "#include <thrust/copy.h>\n#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n"
        f"int main() {{\n    int* d;\n    cudaMalloc(&d, 16);\n    {call}\n    cudaFree(d);\n}}\n"
    )
    done = build([path]).run(quiet=True)
    assert done.findings[0].line == 7
    assert said in done.findings[0].message.text("en")


def test_whoever_touched_the_devices_memory_is_found_beneath_a_librarys_large_frame(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(
        "#include <utility>\nstruct Row {\n    float x[20000];\n};\nRow host;\nint main() {\n    Row* d;\n"
        "    cudaMalloc(&d, sizeof(Row));\n    std::swap(host, *d);\n    cudaFree(d);\n}\n"
    )
    found = build([path]).run(quiet=True).findings[0]
    assert (found.code, found.line) == ("host-touches-device", 9)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("    cudaMemset(x, 1, n * sizeof(int));", "set-bytes"),
        ("    cudaMemsetAsync(x, -1.0f, n * sizeof(float), s);", "set-bytes"),
        ("    cudaMemset(x, 0.f, n * sizeof(float));", None),
        ("    cudaMemset(x, 255, n * sizeof(int));", None),
        ("    cudaMemset(x, 1, n * sizeof(char));", None),
        ("    cudaMemset(x, 1, n);", None),
        ("    float a[K];\n    for (int k = 0; k <= K; k++) a[k] = 0;", "past-the-end"),
        ("    float a[K];\n    for (int k = 0; k <= K; k++) {\n        s += a[k];\n    }", "past-the-end"),
        ("    float a[K];\n    for (int k = 0; k < K; k++) a[k] = 0;", None),
        ("    float a[K], b[L];\n    for (int k = 0; k <= K; k++) b[k] = 0;", None),
        ("    float a[K];\n    for (int k = 1; k <= K; k++) a[k - 1] = 0;", None),
        ("    extern __shared__ float a[];\n    extern __shared__ int b[];", "same-shared"),
        ("    extern __shared__ float a[];\n}\n__global__ void l() {\n    extern __shared__ int b[];", None),
        ("    if (n) {\n    extern __shared__ float a[];\n    } else {\n    extern __shared__ int b[];\n    }", None),
    ],
)
def test_a_slip_that_cannot_be_meant_is_seen_in_a_program(text: str, seen: str | None) -> None:
    found = [key for _, _, key, _ in lint({"mine.cu": f"__global__ void k(int n) {{\n{text}\n}}\n"}, True)]
    assert found == ([seen] if seen else [])


def test_an_event_that_nobody_made_is_no_number(tmp_path: Path) -> None:
    if compiler().family != "g++":
        pytest.skip("g++'s warnings are read, and no other's")
    path = tmp_path / "mine.cu"
    path.write_text("int main() {\n    cudaEvent_t start;\n    cudaEventRecord(start);\n}\n")
    warning = build([path]).warnings[0]
    assert (warning.code, warning.line) == ("warning-uncreated", 2)
    assert "`cudaEventCreate(&start)`" in warning.message.text("en")
    assert "llama primero a `cudaEventCreate(&start)`" in warning.message.text("es")


@pytest.mark.parametrize(
    ("line", "en", "es"),
    [
        ("int v = __shfl_down(1, 2);", "Write __shfl_down_sync(0xffffffff, ...)", "Escribe __shfl_down_sync(0x"),
        ("std::cout << 1;", 'printf("%d\\n", x)` prints in a kernel', 'imprime `printf("%d\\n", x)`'),
    ],
)
def test_what_nvcc_refuses_is_told_with_its_fix(line: str, en: str, es: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text(f"#include <iostream>\n__global__ void k() {{\n    {line}\n}}\n")
    with pytest.raises(BuildError) as refused:
        simulator.build(path)
    found = refused.value.findings[0]
    assert found.line == 3
    assert en in found.message.text("en") and es in found.message.text("es")
